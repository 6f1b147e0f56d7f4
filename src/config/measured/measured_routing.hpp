// The routing of tokens in published timings of fused experts.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "ops/kernel.hpp"

namespace echo::config {

struct RoutingDrawn {
  std::int32_t tokens = 1;  // of all ranks
  std::int32_t experts = 1, choices = 1, ranks = 1;
  std::int32_t unevenness = 0;  // as in ops::Routing; negative: unknown
  friend constexpr auto operator<=>(const RoutingDrawn&, const RoutingDrawn&) = default;
};

// 0 for "balanced", p for "power_law_<1 + 1/p>", negative for another name.
[[nodiscard]] std::int32_t unevenness_of(std::string_view distribution);

// Rows and tokens of the rank that was timed: the first one when balanced, otherwise the busiest. Results are
// cached.
class MeasuredRoutings {
 public:
  // Nothing when the unevenness is unknown or the experts do not divide among the ranks.
  [[nodiscard]] std::optional<ops::Routing> of(const RoutingDrawn& drawn);

 private:
  std::map<RoutingDrawn, ops::Routing> known_;
};

// Whether the experts had a gate: TensorRT-LLM's timings of Nemotron 3 have none (the table does not say; its
// two models are known by their shapes: `inner` is that of the whole model).
[[nodiscard]] bool has_gate(const ops::KernelKey& key, std::string_view library, double inner);

// Whether sglang ships tile sizes chosen for these local experts on this GPU (published name).
[[nodiscard]] bool has_tuned_tiles(const ops::KernelKey& key, std::string_view gpu);

}  // namespace echo::config
