// Location of the arrays of each launch of a kernel. Repeated launches on the same arrays would find them in
// L2, unlike a training step, which writes gigabytes in between: launches rotate over copies that together
// are larger than L2, so that each finds its own evicted.
#pragma once

#include <cstdint>
#include <vector>

namespace echo::profilers {

// Copies of `bytes` that fill three times L2.
[[nodiscard]] std::int64_t turns_for(std::int64_t bytes, std::int64_t l2_bytes);

struct Rotation {
  std::vector<std::int64_t> offsets;  // bytes of each array from the start of a turn's part
  std::int64_t turn_bytes = 0;        // of all arrays of one turn
  std::int64_t turns = 1;
  [[nodiscard]] std::int64_t offset(std::size_t array, std::int64_t launch) const {
    return launch % turns * turn_bytes + offsets[array];
  }
  [[nodiscard]] std::int64_t bytes() const { return turns * turn_bytes; }
};

// Arrays of these sizes (bytes), each aligned to 256.
[[nodiscard]] Rotation rotation(const std::vector<std::int64_t>& array_bytes, std::int64_t turns);

}  // namespace echo::profilers
