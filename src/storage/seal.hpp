// A checksum at the end of a file, over all bytes before it. HDF5 ignores bytes after its data, but its
// library may crash on damaged files. A sealed file is known to be intact before it is opened.
#pragma once

#include <filesystem>

namespace echo::storage {

// Appends it. UserError, 5, where the file cannot be read or written.
void seal(const std::filesystem::path&);
// Whether the file ends in a correct checksum; false if it cannot be read.
[[nodiscard]] bool is_sealed(const std::filesystem::path&);

}  // namespace echo::storage
