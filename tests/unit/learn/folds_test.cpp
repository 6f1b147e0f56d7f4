#include "learn/evaluate/folds.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/counter_rng.hpp"

using namespace echo;
using namespace echo::learn;

static slowdown::OverlapRow row_of(std::string kernel, double alone) {
  slowdown::OverlapRow row;
  row.kernel = std::move(kernel);
  row.alone = row.overlapped = alone;
  return row;
}

// Groups of uneven sizes: group g has 1 + (something below `largest`) rows, interleaved.
static std::vector<std::int32_t> random_groups(std::int32_t groups, std::int32_t largest,
                                               std::uint64_t seed) {
  std::vector<std::int32_t> sizes, group;
  for (std::int32_t g = 0; g < groups; ++g)
    sizes.push_back(1 + static_cast<std::int32_t>(draw_unit(seed, 1, g) * largest));
  for (std::int32_t round = 0; round < largest; ++round)
    for (std::int32_t g = 0; g < groups; ++g)
      if (round < sizes[g]) group.push_back(g);
  return group;
}

TEST(Folds, HoldEveryRowOutOnceAndKeepGroupsWhole) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::int32_t groups = 5 + static_cast<std::int32_t>(seed);
    const auto group = random_groups(groups, 7, seed);
    const auto fold = fold_of(group, 5, seed);
    ASSERT_EQ(fold.size(), group.size());
    std::map<std::int32_t, std::set<std::int32_t>> folds_of_group;
    std::set<std::int32_t> used;
    for (std::size_t row = 0; row < fold.size(); ++row) {
      folds_of_group[group[row]].insert(fold[row]);
      used.insert(fold[row]);
    }
    for (const auto& [g, folds] : folds_of_group) EXPECT_EQ(folds.size(), 1U) << "seed " << seed;
    EXPECT_EQ(used, (std::set<std::int32_t>{0, 1, 2, 3, 4})) << "seed " << seed;
  }
}

TEST(Folds, DifferByOneRowWhereRowsStandAlone) {
  for (std::int32_t rows = 5; rows < 40; ++rows) {
    std::vector<std::int32_t> group(static_cast<std::size_t>(rows));
    for (std::int32_t i = 0; i < rows; ++i) group[i] = i;
    std::map<std::int32_t, std::int32_t> sizes;
    for (const std::int32_t fold : fold_of(group, 5, 3)) ++sizes[fold];
    for (const auto& [fold, size] : sizes) EXPECT_TRUE(size == rows / 5 || size == (rows + 4) / 5) << rows;
  }
}

TEST(Folds, AreNoFurtherApartThanTheLargestGroup) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto group = random_groups(20, 9, seed);
    std::vector<std::int32_t> rows(4, 0), size(20, 0);
    for (const std::int32_t fold : fold_of(group, 4, seed)) ++rows[fold];
    for (const std::int32_t g : group) ++size[g];
    EXPECT_LE(*std::max_element(rows.begin(), rows.end()) - *std::min_element(rows.begin(), rows.end()),
              *std::max_element(size.begin(), size.end()))
        << "seed " << seed;
  }
}

TEST(Folds, ChangeWithTheSeedAndWithNothingElse) {
  std::vector<std::int32_t> group(100);
  for (std::int32_t i = 0; i < 100; ++i) group[i] = i;
  EXPECT_EQ(fold_of(group, 5, 1), fold_of(group, 5, 1));
  EXPECT_NE(fold_of(group, 5, 1), fold_of(group, 5, 2));
}

TEST(Groups, OfKernelsShareTheShortName) {
  const std::vector rows{row_of("gemm", 1e-3), row_of("norm", 1e-5), row_of("gemm", 1e-6)};
  EXPECT_EQ(groups_of(rows, Grouping::kernel), (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(groups_of(rows, Grouping::row), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(count_of(groups_of(rows, Grouping::kernel)), 2);
  EXPECT_EQ(count_of({}), 0);
}

TEST(Groups, OfShapesTellSizesOfAKernelApart) {
  const std::vector rows{row_of("gemm", 1e-3), row_of("gemm", 1.05e-3), row_of("gemm", 2e-3),
                         row_of("norm", 1e-3)};
  EXPECT_EQ(groups_of(rows, Grouping::shape), (std::vector<std::int32_t>{0, 0, 1, 2}));
}

TEST(Groups, OfShapesGoByTheShapeWhereTheRowHasOne) {
  slowdown::OverlapRow small = row_of("a", 1e-3), alike = row_of("b", 5e-3), large = small;
  small.shape = ops::KernelKey{.kind = ops::KernelKind::gemm, .m = 1024, .n = 512, .k = 512};
  alike.shape = ops::KernelKey{.kind = ops::KernelKind::gemm, .m = 1100, .n = 512, .k = 512};
  large.shape = ops::KernelKey{.kind = ops::KernelKind::gemm, .m = 2048, .n = 512, .k = 512};
  EXPECT_EQ(groups_of(std::vector{small, alike, large}, Grouping::shape),
            (std::vector<std::int32_t>{0, 0, 1}));
}
