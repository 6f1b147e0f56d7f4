#include "sweep/space/sobol.hpp"

#include <gtest/gtest.h>

#include <set>

namespace echo::sweep {
namespace {

std::vector<std::vector<std::uint32_t>> points(const Sobol& sequence, std::size_t dimensions,
                                               std::uint64_t n) {
  std::vector<std::vector<std::uint32_t>> out;
  for (std::uint64_t i = 0; i < n; ++i) {
    out.emplace_back(dimensions);
    sequence.point(i, out.back());
  }
  return out;
}

TEST(Sobol, EveryAxisIsCutIntoEqualPartsWithOnePointEach) {
  const std::size_t axes = Sobol::max_dimensions;
  const auto all = points(Sobol(axes, 7), axes, 1024);
  for (std::size_t d = 0; d < axes; ++d) {
    for (const std::uint32_t bits : {1U, 4U, 10U}) {
      std::set<std::uint32_t> parts;
      for (std::size_t i = 0; i < (std::size_t{1} << bits); ++i) parts.insert(all[i][d] >> (32 - bits));
      EXPECT_EQ(parts.size(), std::size_t{1} << bits) << "axis " << d;
    }
  }
}

// Property A of Sobol: among 2^d points in a row each half-open 2^-d cube of the first d axes holds one.
TEST(Sobol, HalvesOfTheFirstAxesAreAllMet) {
  constexpr std::size_t axes = 10;
  const auto all = points(Sobol(axes, 0), axes, 1U << axes);
  std::set<std::uint32_t> corners;
  for (const auto& point : all) {
    std::uint32_t corner = 0;
    for (const std::uint32_t x : point) corner = corner << 1 | x >> 31;
    corners.insert(corner);
  }
  EXPECT_EQ(corners.size(), all.size());
}

TEST(Sobol, PairsOfAxesCoverTheSquare) {  // 2^12 points, 8 x 8 cells: 64 in each if even; far off none
  const std::size_t axes = Sobol::max_dimensions;
  const auto all = points(Sobol(axes, 3), axes, 4096);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t b = a + 1; b < axes; ++b) {
      std::vector<int> cells(64, 0);
      for (const auto& point : all) ++cells[(point[a] >> 29) * 8 + (point[b] >> 29)];
      for (const int count : cells) EXPECT_EQ(count, 64) << "axes " << a << " and " << b;
    }
  }
}

TEST(Sobol, TheSeedShiftsAllPointsAlike) {
  const auto one = points(Sobol(5, 1), 5, 100), other = points(Sobol(5, 2), 5, 100);
  EXPECT_NE(one[0], other[0]);
  for (std::size_t i = 0; i < one.size(); ++i) {
    for (std::size_t d = 0; d < 5; ++d) EXPECT_EQ(one[i][d] ^ one[0][d], other[i][d] ^ other[0][d]);
  }
}

}  // namespace
}  // namespace echo::sweep
