// Random bytes, most of them printable, some of them not.
#pragma once

#include <cstdint>
#include <string>

#include "base/counter_rng.hpp"

namespace echo::support {

inline std::string random_bytes(std::uint64_t seed, std::size_t most) {
  const std::size_t size = draw(seed, 0, 0) % (most + 1);
  std::string out;
  for (std::uint64_t i = 1; i <= size; ++i) {
    const std::uint64_t number = draw(seed, 0, i);
    out += static_cast<char>(number % 4 == 0 ? number >> 8 & 0xFF : 0x20 + (number >> 8) % 0x5F);
  }
  return out;
}

}  // namespace echo::support
