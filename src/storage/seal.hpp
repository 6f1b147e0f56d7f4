// A checksum at the end of a file, over all that stands before it. HDF5 does not mind what follows its data,
// and its library does mind damaged files: it may crash on them. What is sealed is known to be whole before
// it is opened.
#pragma once

#include <filesystem>

namespace echo::storage {

// Appends it. UserError, 5, where the file cannot be read or written.
void seal(const std::filesystem::path&);
// Whether the file ends in a checksum that is right; false where it cannot be read.
[[nodiscard]] bool is_sealed(const std::filesystem::path&);

}  // namespace echo::storage
