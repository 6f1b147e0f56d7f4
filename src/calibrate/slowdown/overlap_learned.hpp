// Learned models of slowdown beside the white box, on overlaps recorded in public profiles.
#pragma once

#include <span>

#include "learn/evaluate/nested.hpp"
#include "slowdown/profile_rows.hpp"

namespace echo::calibrate {

// What is new about the rows held out.
enum class HeldOut : std::int8_t { run, gpu, collective };

// The name that rows held out together share: the run, the kind of GPU, or the collective on a kind of GPU.
[[nodiscard]] std::string held_out_key(const slowdown::ProfileRow&, HeldOut);

// Nested cross-validation (learn/evaluate/nested.hpp) of "no slowdown", the median by class of kernel, the
// settings of Echo's module, the white box of overlap_fit.hpp, and trees alone and on a white box. `rows` can
// all be predicted. UserError, 2: fewer than three keys.
[[nodiscard]] learn::NestedReport compare_learned(std::span<const slowdown::ProfileRow> rows, HeldOut);

// Prints one line per predictor: mean error of rows, its advantage over "no slowdown" with its standard error
// between the groups held out, and the bias of the summed time.
void print_learned(std::span<const slowdown::ProfileRow> rows);

}  // namespace echo::calibrate
