// Moves a damaged result file out of the way, so that a launch can write its own; nothing is overwritten.
#pragma once

#include <filesystem>

namespace echo::parallel {

// Renames FILE.h5 to FILE.h5.damaged, or FILE.h5.damaged.2, ...: the first name that is free. Returns the new
// name. UserError 5 where the folder refuses.
std::filesystem::path put_aside(const std::filesystem::path& file);

}  // namespace echo::parallel
