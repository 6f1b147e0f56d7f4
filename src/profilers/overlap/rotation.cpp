#include "profilers/overlap/rotation.hpp"

#include <algorithm>

namespace echo::profilers {

std::int64_t turns_for(std::int64_t bytes, std::int64_t l2_bytes) {
  const std::int64_t each = std::max<std::int64_t>(1, bytes);
  return std::max<std::int64_t>(1, (3 * l2_bytes + each - 1) / each);
}

Rotation rotation(const std::vector<std::int64_t>& array_bytes, std::int64_t turns) {
  constexpr std::int64_t alignment = 256;
  Rotation out{.offsets = {}, .turn_bytes = 0, .turns = turns};
  for (const std::int64_t bytes : array_bytes) {
    out.offsets.push_back(out.turn_bytes);
    out.turn_bytes += (bytes + alignment - 1) / alignment * alignment;
  }
  return out;
}

}  // namespace echo::profilers
