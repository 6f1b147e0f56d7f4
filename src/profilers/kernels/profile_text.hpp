// Texts of echo-profile: its plan and its outcome.
#pragma once

#include <string>

#include "profilers/kernels/kernel_plan.hpp"
#include "profilers/kernels/measure_kernels.hpp"

namespace echo::profilers {

// The duration of measuring a kernel, libraries' planning and pauses between trains included. Seconds;
// guesses until a GPU says.
[[nodiscard]] double guess_measuring_seconds(const ops::KernelKey&, std::int32_t trains);

// Kernels by kind, format and layout with their time, each by itself where they are few; what is left out.
[[nodiscard]] std::string plan_text(const ChosenKernels&, std::int32_t trains);

[[nodiscard]] std::string outcome_text(const MeasuringOutcome&);

}  // namespace echo::profilers
