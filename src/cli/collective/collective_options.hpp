// Parses the options of `echo-sweep collective`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/collective.hpp"
#include "simulate/contention.hpp"
#include "textbook/dimension.hpp"
#include "training/axis.hpp"
#include "training/config.hpp"

namespace echo::cli {

// All of them throw UserError, with a suggestion for a mistyped name.

// A collective between GPUs: "all_reduce", also written all-reduce or allreduce.
[[nodiscard]] ops::CollectiveKind collective_named(const std::string& text);

// "8:8G" doubles from the first to the last, "1M:64M:4" goes by fours, "1M,3M" lists. As in nccl-tests,
// K, M and G are powers of 1024; "64 MiB" and "1 GB" have their standard meaning.
[[nodiscard]] std::vector<std::int64_t> sizes_of(const std::string& text);

// "Ring(8) 450 GB/s 100 ns, Switch(4) 50 GB/s 1 us", from the GPU outwards; bandwidth per GPU and
// direction. Where there are several, the last one is between nodes.
[[nodiscard]] std::vector<textbook::Dimension> dimensions_named(const std::string& text);

// How links between nodes are priced: "flow".
[[nodiscard]] simulate::Contention contention_named(const std::string& text);

// Gives an axis of words, whole numbers or ratios the value that `text` spells; `option` names it in
// messages.
void set_axis(training::TrainingConfig&, training::Axis, const std::string& text, const std::string& option);

}  // namespace echo::cli
