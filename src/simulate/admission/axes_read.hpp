// The axes of a config on which it depends whether a step is simulated.
#pragma once

#include "training/axis_values.hpp"

namespace echo::simulate {

// What the layout of ranks and chunks looks at (lay_out); what the device memory of stages and the schedule's
// rules look at besides; and all that admission looks at, the rules of training::rule_sets included, which
// name their axes themselves.
[[nodiscard]] const training::AxesRead& axes_of_layout();
[[nodiscard]] const training::AxesRead& axes_of_admission();

}  // namespace echo::simulate
