// Which axes of a config change only how its step ends, and so what neighbouring points of a sweep share.
#pragma once

#include <cstdint>

#include "training/axis_values.hpp"

namespace echo::simulate {

// All axes but those that change nothing before the last backwards of most steps (with optimizer states
// sharded at most), and the overlap of transfers between stages and the number of microbatches, which change
// no work. A hint: points equal in these axes run fastest one after the other.
[[nodiscard]] const training::AxesRead& axes_before_step_ends();

// The values of the others, but for those two, as one number: points equal in it, too, have the same work.
[[nodiscard]] std::int32_t step_end_of(const training::AxisValues&);

}  // namespace echo::simulate
