// Reads a profile of torch.profiler (Kineto) whole, with what was launched and the ops around each launch.
#pragma once

#include <string>

#include "overlaps/profile.hpp"

namespace echo::overlaps {

// Throws UserError, 2, where it is no such profile, or has no kernels.
[[nodiscard]] Profile read_kineto_profile(const std::string& path);

}  // namespace echo::overlaps
