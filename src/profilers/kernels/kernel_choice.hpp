// Selects the wanted kernels that remain to be measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/database/measurement.hpp"
#include "profilers/kernels/kernel_plan.hpp"

namespace echo::profilers {

struct KernelFilter {
  std::vector<std::string> kinds;              // empty = all
  std::int32_t compute_capability = 0;         // 90; 0 = not known, and nothing is left out for it
  std::string gpu;                             // preset; empty = not known, and nothing counts as measured
  const kernels::Profile* measured = nullptr;  // kernels of this GPU in it are left out; null = none
};
// Left-out kernels are added to the counts.
[[nodiscard]] ChosenKernels chosen(ChosenKernels wanted, const KernelFilter&);

// Why a GPU of this compute capability has no such product; null where it has one, or nothing is known.
[[nodiscard]] const char* why_not_here(const ops::KernelKey&, std::int32_t compute_capability);

}  // namespace echo::profilers
