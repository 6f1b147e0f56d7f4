// Reads and writes of an open file at a place, whole or with the reason why not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace echo::storage {

// False at an error or the end of the file; errno says which (0 at the end).
[[nodiscard]] bool read_fully(int file, std::uint64_t place, std::size_t bytes, void* out);
[[nodiscard]] bool write_fully(int file, std::uint64_t place, std::size_t bytes, const void* data);

}  // namespace echo::storage
