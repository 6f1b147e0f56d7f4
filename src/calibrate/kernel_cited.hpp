// Constants that no table at hand can fit, with where they come from; also the starting points of the fits.
#pragma once

#include <span>

#include "profile/constants.hpp"

namespace echo::calibrate {

struct CitedConstant {
  double profile::KernelConstants::*member;
  double a100, h100, h200, blackwell;
  double relative_error;
  const char* source;
};
[[nodiscard]] std::span<const CitedConstant> cited_constants();

}  // namespace echo::calibrate
