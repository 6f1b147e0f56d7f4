// Assumed constants that no available table can fit, with the reason; also the starting points of the fits.
#pragma once

#include <span>

#include "kernels/constants.hpp"

namespace echo::calibrate {

// The source of what backward attention takes where keys are wider than values.
extern const char* const unequal_backward;

struct AssumedConstant {
  double kernels::KernelConstants::*member;
  double a100, h100, h200, blackwell;
  double relative_error;
  const char* source;
};
[[nodiscard]] std::span<const AssumedConstant> assumed_constants();

}  // namespace echo::calibrate
