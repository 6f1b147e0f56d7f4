#include "accuracy/residual_pattern.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/counter_rng.hpp"

namespace echo::accuracy {
namespace {

double noise(std::uint64_t i, std::uint64_t of) { return draw_unit(3, of, i) - 0.5; }

// Residuals that fall by 0.1 with every unit of quantity 1, and depend on nothing else; row 0 lies far out.
std::vector<ResidualRow> falling() {
  std::vector<ResidualRow> rows;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const double x = i == 0 ? 6.0 : static_cast<double>(i % 4);
    rows.push_back({"source", -0.1 * x + 0.02 * noise(i, 0), {noise(i, 1), x, noise(i, 2), 7.0}});
  }
  return rows;
}

TEST(ResidualPattern, FindsTheQuantityThatErrorsGoWith) {
  const auto rows = falling();
  const ResidualPattern found = pattern_of(rows, 0);
  EXPECT_EQ(found.like_rows, 39);
  EXPECT_EQ(found.quantity, 1);
  EXPECT_LT(found.correlation, -0.9);
  EXPECT_NEAR(found.mean + found.explained, -0.6, 0.05);
  EXPECT_EQ(found.unusual, 1);
  EXPECT_NEAR(found.unusual_mean, 1.5, 0.1);
}

TEST(ResidualPattern, TheRowItselfAndRowsOfOtherGroupsHaveNoSay) {
  auto rows = falling();
  const ResidualPattern before = pattern_of(rows, 0);
  rows[0].residual *= 1.01;
  rows.push_back({"another source", 5.0, {1.0, -3.0, 2.0, 7.0}});
  const ResidualPattern after = pattern_of(rows, 0);
  EXPECT_EQ(after.correlation, before.correlation);
  EXPECT_EQ(after.mean, before.mean);
  EXPECT_EQ(after.explained, before.explained);
}

TEST(ResidualPattern, ALineThatPointsTheOtherWayExplainsNothing) {
  auto rows = falling();
  rows[0].residual = 0.6;
  EXPECT_EQ(pattern_of(rows, 0).quantity, -1);
}

TEST(ResidualPattern, ALineThatSaysMuchMoreThanTheErrorExplainsNothing) {
  auto rows = falling();
  rows[0].residual = -0.2;
  EXPECT_EQ(pattern_of(rows, 0).quantity, -1);
}

TEST(ResidualPattern, FewRowsSayNothing) {
  auto rows = falling();
  rows.resize(fewest_like_rows);
  EXPECT_EQ(pattern_of(rows, 0).quantity, -1);
  EXPECT_EQ(pattern_of(rows, 0).like_rows, fewest_like_rows - 1);
}

TEST(ResidualPattern, NoiseAndConstantsAreNoPattern) {
  std::vector<ResidualRow> rows;
  for (std::uint64_t i = 0; i < 200; ++i) rows.push_back({"", noise(i, 0), {noise(i, 1), 7.0}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(pattern_of(rows, i).quantity, -1);
    EXPECT_EQ(pattern_of(rows, i).unusual, -1);
  }
}

// The correlation as its textbook definition has it.
TEST(ResidualPattern, CorrelationIsPearsonsOfTheOtherRows) {
  const auto rows = falling();
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 1; i < rows.size(); ++i)
    mean_x += rows[i].value[1] / 39, mean_y += rows[i].residual / 39;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double x = rows[i].value[1] - mean_x, y = rows[i].residual - mean_y;
    xy += x * y, xx += x * x, yy += y * y;
  }
  EXPECT_NEAR(pattern_of(rows, 0).correlation, xy / std::sqrt(xx * yy), 1e-9);
}

}  // namespace
}  // namespace echo::accuracy
