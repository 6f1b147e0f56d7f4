#include "learn/fit/fit_families.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/counter_rng.hpp"
#include "slowdown/overlap_row.hpp"

using namespace echo;
using namespace echo::learn;

static slowdown::OverlapRow row_of(std::string kernel, std::string full_name, double microseconds,
                                   double ratio, double slowdown) {
  slowdown::OverlapRow row;
  row.kernel = std::move(kernel);
  row.full_name = std::move(full_name);
  row.alone = microseconds * 1e-6;
  row.overlap_ratio = ratio;
  row.overlapped = slowdown::overlapped_time(row.alone, ratio, slowdown);
  return row;
}

static RowPointers pointers_to(const std::vector<slowdown::OverlapRow>& rows) {
  RowPointers pointers;
  for (const slowdown::OverlapRow& row : rows) pointers.push_back(&row);
  return pointers;
}

// Mean relative error of the overlapped durations when all rows are slowed by `slowdown`.
static double error_of(const std::vector<slowdown::OverlapRow>& rows, double slowdown) {
  double sum = 0.0;
  for (const slowdown::OverlapRow& row : rows)
    sum += std::abs(slowdown::overlapped_time(row.alone, row.overlap_ratio, slowdown) / row.overlapped - 1.0);
  return sum / static_cast<double>(rows.size());
}

static std::vector<slowdown::OverlapRow> random_rows(std::uint64_t seed, int count) {
  std::vector<slowdown::OverlapRow> rows;
  for (int i = 0; i < count; ++i) {
    const std::string name(1, static_cast<char>('a' + draw(seed, 1, i) % 3));
    const std::string full = name + (draw(seed, 2, i) % 2 == 0 ? "<x>" : "<y>");
    rows.push_back(row_of(name, full, std::exp2(8.0 * draw_unit(seed, 3, i)),
                          draw(seed, 4, i) % 4 == 0 ? 0.0 : 0.3 + 0.7 * draw_unit(seed, 5, i),
                          4.0 * std::pow(draw_unit(seed, 6, i), 3)));
  }
  return rows;
}

TEST(WeightedMedian, EqualsTheSearchOverAllValues) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> values, weights;
    for (std::uint64_t i = 0; i <= draw(seed, 0, 0) % 12; ++i) {
      values.push_back(std::floor(10.0 * draw_unit(seed, 1, i)));
      weights.push_back(0.1 + draw_unit(seed, 2, i));
    }
    const auto cost = [&](double x) {
      double sum = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i) sum += weights[i] * std::abs(values[i] - x);
      return sum;
    };
    double least = cost(values.front());
    for (const double value : values) least = std::min(least, cost(value));
    EXPECT_NEAR(cost(weighted_median(values, weights)), least, 1e-12) << "seed " << seed;
  }
}

TEST(FitFamilies, MakesTheMeanErrorOfAFamilyLeast) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<slowdown::OverlapRow> rows;
    for (std::uint64_t i = 0; i < 9; ++i)
      rows.push_back(row_of("k", "", 10.0, 0.2 + 0.8 * draw_unit(seed, 0, i), 3.0 * draw_unit(seed, 1, i)));
    const auto families = fit_families(pointers_to(rows), {.sizes_per_octave = 1, .prior = 1e-9});
    const double found = error_of(rows, 1.0 / slowdown::kept_by_family(families, rows.front()) - 1.0);
    for (double slowdown = -0.5; slowdown < 4.0; slowdown += 0.01)
      EXPECT_LE(found, error_of(rows, slowdown) + 1e-12) << "seed " << seed << " at " << slowdown;
  }
}

TEST(FitFamilies, AreSoundAndNestedAndLeaveUnknownKernelsAlone) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto families = fit_families(pointers_to(random_rows(seed, 60)), {.sizes_per_octave = 2});
    EXPECT_TRUE(slowdown::is_sound(families)) << "seed " << seed;
    EXPECT_EQ(slowdown::kept_by_family(families, row_of("unheard of", "", 5.0, 1.0, 0.0)), 1.0);
  }
}

TEST(FitFamilies, FallBackToTheCoarserWhereTheFinerIsUnknown) {
  std::vector<slowdown::OverlapRow> rows;
  for (int i = 0; i < 20; ++i) {
    rows.push_back(row_of("k", "k<small>", 3.0, 1.0, 1.0));
    rows.push_back(row_of("k", "k<small>", 300.0, 1.0, 0.25));
    rows.push_back(row_of("k", "k<large>", 3.0, 1.0, 0.25));
  }
  const auto families = fit_families(pointers_to(rows), {.sizes_per_octave = 1, .prior = 0.5});
  EXPECT_NEAR(slowdown::kept_by_family(families, rows[0]), 1.0 / 2.0, 1e-12);
  EXPECT_NEAR(slowdown::kept_by_family(families, rows[1]), 1.0 / 1.25, 1e-12);
  EXPECT_NEAR(slowdown::kept_by_family(families, row_of("k", "k<small>", 50.0, 1.0, 0.0)), 1.0 / 1.25, 1e-12)
      << "a size never seen: the full name's rate, whose weighted median is that of the rows slowed less";
  EXPECT_NEAR(slowdown::kept_by_family(families, row_of("k", "k<new>", 50.0, 1.0, 0.0)), 1.0 / 1.25, 1e-12);
}

TEST(FitFamilies, DoNotBelieveAFewRows) {
  const std::vector one{row_of("k", "k<x>", 3.0, 1.0, 9.0)};
  const auto doubting = fit_families(pointers_to(one), {.sizes_per_octave = 1, .prior = 0.5});
  EXPECT_EQ(slowdown::kept_by_family(doubting, one.front()), 1.0);
  const auto trusting = fit_families(pointers_to(one), {.sizes_per_octave = 1, .prior = 0.01});
  EXPECT_NEAR(slowdown::kept_by_family(trusting, one.front()), 0.1, 1e-12);
}

TEST(FitFamilies, IgnoreRowsThatDoNotOverlap) {
  std::vector<slowdown::OverlapRow> rows = random_rows(7, 40);
  const auto before = fit_families(pointers_to(rows), {});
  for (int i = 0; i < 30; ++i) rows.push_back(row_of("a", "a<x>", 5.0, 0.0, 0.0));
  EXPECT_EQ(fit_families(pointers_to(rows), {}), before);
}

// The leak test: whatever a held-out row took, what families say of it stays the same.
TEST(KeptOutOfFold, NeverSeesTheRowItself) {
  std::vector<slowdown::OverlapRow> rows = random_rows(3, 50);
  std::vector<std::int32_t> fold;
  for (std::int32_t i = 0; i < 50; ++i) fold.push_back(i % 5);
  const FamilySettings settings{.sizes_per_octave = 1, .prior = 0.01};
  const std::vector<double> before = kept_out_of_fold(pointers_to(rows), fold, settings);
  bool others_changed = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double overlapped = rows[i].overlapped;
    rows[i].overlapped *= 5.0;
    const std::vector<double> after = kept_out_of_fold(pointers_to(rows), fold, settings);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (fold[j] == fold[i])
        EXPECT_EQ(after[j], before[j]) << i << " " << j;
      else
        others_changed = others_changed || after[j] != before[j];
    }
    rows[i].overlapped = overlapped;
  }
  EXPECT_TRUE(others_changed) << "the test could not have failed";
}

TEST(KeptOf, HoldsNoiseToWhatCanBe) {
  EXPECT_NEAR(kept_of(row_of("k", "", 1.0, 1.0, 1.0)), 0.5, 1e-12);
  EXPECT_EQ(kept_of(row_of("k", "", 1.0, 0.0, 1.0)), 1.0);
  slowdown::OverlapRow noise = row_of("k", "", 1.0, 1.0, 0.0);
  noise.overlap_ratio = 1e-4;
  noise.overlapped = 0.9 * noise.alone;  // slowdown -1000
  EXPECT_EQ(kept_of(noise), most_kept);
  noise.overlapped = 1.1 * noise.alone;  // +1000
  EXPECT_EQ(kept_of(noise), least_kept);
}
