// Damage to the bytes of a file, as disks, copies and programs do it; a pure function of (seed, number).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/counter_rng.hpp"

namespace echo::testing {

constexpr std::array<const char*, 8> mutation_names{"one bit",  "several bits", "random bytes",
                                                    "cut off",  "zeroed run",   "two swapped",
                                                    "appended", "taken out"};

// Draws of one mutation, in order.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t number) : seed_(seed), number_(number) {}
  std::uint64_t below(std::uint64_t end) { return draw(seed_, number_, next_++) % end; }

 private:
  std::uint64_t seed_, number_, next_ = 0;
};

// Precondition: bytes.size() > 1.
inline void mutate(std::size_t kind, Draws& draws, std::string& bytes) {
  const std::size_t size = bytes.size();
  const std::size_t place = draws.below(size);
  const auto flip = [&](std::size_t at) { bytes[at] = static_cast<char>(bytes[at] ^ (1 << draws.below(8))); };
  const std::size_t length = std::min<std::size_t>(size - place, std::size_t{1} << draws.below(17));
  switch (kind) {
    case 0:
      return flip(place);
    case 1:
      for (std::uint64_t left = 2 + draws.below(7); left > 0; --left) flip(draws.below(size));
      return;
    case 2:
      for (std::size_t i = 0; i < std::min<std::size_t>(length, 64); ++i)
        bytes[place + i] = static_cast<char>(draws.below(256));
      return;
    case 3:
      return bytes.resize(place);
    case 4:
      return std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place), length, '\0'), void();
    case 5: {
      const std::size_t block = std::min<std::size_t>(size / 2, std::size_t{512} << draws.below(6));
      const std::size_t first = draws.below(size / block) * block, second = draws.below(size / block) * block;
      for (std::size_t i = 0; i < block; ++i) std::swap(bytes[first + i], bytes[second + i]);
      return;
    }
    case 6:
      return bytes.append(length, static_cast<char>(draws.below(256))), void();
    default:
      return bytes.erase(place, length), void();
  }
}

}  // namespace echo::testing
