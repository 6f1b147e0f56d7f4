// Lets the HDF5 library read and write through FileBytes.
#pragma once

#include <cstdint>

#include "storage/file_bytes.hpp"

namespace echo::storage {

// A property list of file access, an HDF5 identifier which the caller closes. The bytes are kept as long as
// HDF5 has the file open. Files with checksums are written in HDF5's latest format (1.10), whose metadata has
// checksums of its own, the others in its earliest.
[[nodiscard]] std::int64_t access_through(FileBytes&);

}  // namespace echo::storage
