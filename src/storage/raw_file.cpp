#include "storage/raw_file.hpp"

#include <unistd.h>

#include <cerrno>

namespace echo::storage {

bool read_fully(int file, std::uint64_t place, std::size_t bytes, void* out) {
  for (auto* next = static_cast<char*>(out); bytes > 0;) {
    const ssize_t count = ::pread(file, next, bytes, static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = 0;
    if (count <= 0) return false;
    next += count, place += static_cast<std::uint64_t>(count), bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_fully(int file, std::uint64_t place, std::size_t bytes, const void* data) {
  for (const auto* next = static_cast<const char*>(data); bytes > 0;) {
    const ssize_t count = ::pwrite(file, next, bytes, static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) return false;
    next += count, place += static_cast<std::uint64_t>(count), bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace echo::storage
