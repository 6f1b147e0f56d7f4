// Legacy numpy: a Mersenne Twister, Fisher and Yates from the back, each place drawn by discarding numbers
// past it under the smallest mask (numpy/random: _legacy_seeding, shuffle, random_interval).
#include "cli/slowdown/echo_split.hpp"

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

namespace echo::cli {

std::vector<bool> held_out_by_echo(std::size_t rows) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 twister(42);
  for (std::size_t last = rows; last-- > 1;) {
    std::uint32_t mask = static_cast<std::uint32_t>(last);
    for (const int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
    std::uint32_t place = 0;
    do {
      place = static_cast<std::uint32_t>(twister()) & mask;
    } while (place > last);
    std::swap(order[last], order[place]);
  }
  std::vector<bool> out(rows, false);
  const std::size_t held = (rows + 4) / 5;
  for (std::size_t i = 0; i < held; ++i) out[order[i]] = true;
  return out;
}

}  // namespace echo::cli
