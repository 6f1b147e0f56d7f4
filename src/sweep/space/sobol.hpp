// Sobol's low-discrepancy sequence, shifted by a seed: of 2^k consecutive points, one falls into each of 2^k
// equal parts of every axis.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace echo::sweep {

class Sobol {
 public:
  static constexpr std::size_t max_dimensions = 31;
  // Contract: dimensions <= max_dimensions.
  Sobol(std::size_t dimensions, std::uint64_t seed);
  // Point `number` in units of 2^-32, one coordinate for each place of `out`. Contract: number < 2^32,
  // out.size() is the number of dimensions.
  void point(std::uint64_t number, std::span<std::uint32_t> out) const;

 private:
  std::vector<std::array<std::uint32_t, 32>> directions_;  // [dimension][bit of the point's number]
  std::vector<std::uint32_t> shift_;                       // [dimension]
};

}  // namespace echo::sweep
