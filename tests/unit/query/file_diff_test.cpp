#include "query/file_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

#include "tests/support/tiny_results.hpp"

namespace echo::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

results::FileState keys(const std::string& space, const std::string& code) {
  results::FileState state;
  state.space_key = space, state.code_key = code;
  return state;
}

TEST(Diff, OfAFileWithItselfIsNothing) {
  const auto table = tiny_results({{.id = 5, .step = 2.0}, {.id = 3, .status = 1, .reason = 1}});
  const FileDiff diff = diff_of(table, table, 10, "");
  EXPECT_TRUE(diff.is_equal());
  EXPECT_EQ(diff.both, 2);
  EXPECT_THAT(diff.ranks, IsEmpty());
  EXPECT_THAT(diff.causes, IsEmpty());
  EXPECT_THAT(diff_text(diff), HasSubstr("no difference in any row"));
}

TEST(Diff, MatchesRowsByIdInWhateverOrder) {
  const auto a = tiny_results({{.id = 9, .step = 1.0}, {.id = 2, .step = 2.0}, {.id = 7, .step = 3.0}});
  const auto b = tiny_results({{.id = 7, .step = 3.0}, {.id = 9, .step = 1.0}, {.id = 4, .step = 9.0}});
  const FileDiff diff = diff_of(a, b, 10, "");
  EXPECT_EQ(diff.both, 2);
  EXPECT_EQ(diff.only_first, 1);
  EXPECT_EQ(diff.only_second, 1);
  EXPECT_THAT(diff.metrics, IsEmpty());
  EXPECT_THAT(diff.status, IsEmpty());
}

TEST(Diff, FindsTheLargestRelativeChange) {
  const auto a = tiny_results({{.id = 1, .step = 1.0}, {.id = 2, .step = 2.0}, {.id = 3, .step = 4.0}});
  const auto b = tiny_results({{.id = 1, .step = 1.1}, {.id = 2, .step = 1.5}, {.id = 3, .step = 4.0}});
  const FileDiff diff = diff_of(a, b, 10, "");
  ASSERT_FALSE(diff.metrics.empty());
  EXPECT_EQ(diff.metrics[0].metric, "step_time");
  EXPECT_EQ(diff.metrics[0].rows, 2);
  EXPECT_DOUBLE_EQ(diff.metrics[0].largest, -0.25);
  EXPECT_EQ(diff.metrics[0].config_id, 2U);
}

TEST(Diff, CountsChangedOutcomes) {
  const auto a = tiny_results({{.id = 1}, {.id = 2}, {.id = 3, .status = 1, .reason = 1}});
  const auto b = tiny_results({{.id = 1, .status = 1, .reason = 2},
                               {.id = 2, .status = 1, .reason = 2},
                               {.id = 3, .status = 1, .reason = 3}});
  const auto changes = diff_of(a, b, 10, "").status;
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].from, "ok");
  EXPECT_EQ(changes[0].to, "infeasible (limit)");
  EXPECT_EQ(changes[0].rows, 2);
  EXPECT_EQ(changes[1].from, "infeasible (memory)");
}

TEST(Diff, FollowsTheBestRowsOfBothFilesAndSaysWhyTheyMoved) {
  const auto a = tiny_results(
      {{.id = 1, .step = 1.0}, {.id = 2, .step = 2.0}, {.id = 3, .step = 3.0}, {.id = 4, .status = 1}},
      keys("x", "old"));
  const auto b = tiny_results(
      {{.id = 2, .step = 2.0}, {.id = 1, .step = 2.5}, {.id = 5, .step = 0.5}, {.id = 4, .step = 9.0}},
      keys("y", "new"));
  const FileDiff diff = diff_of(a, b, 3, "");
  EXPECT_THAT(diff.causes, ElementsAre("space", "code"));
  std::vector<std::string> told;
  for (const RankChange& change : diff.ranks)
    told.push_back(std::to_string(change.config_id) + ": " + std::to_string(change.from) + " -> " +
                   std::to_string(change.to) + " " + change.cause);
  EXPECT_THAT(told, ElementsAre("1: 1 -> 3 its step_time changed +150.00 % [space, code]",
                                "5: 0 -> 1 only in the second file [space]",
                                "3: 3 -> 0 only in the first file [space]"));
}

TEST(Diff, SaysWhenARowOnlyMadeRoom) {
  const auto a = tiny_results({{.id = 1, .step = 1.0}, {.id = 2, .step = 2.0}}, keys("x", "c"));
  const auto b = tiny_results({{.id = 2, .step = 2.0}}, keys("y", "c"));
  const FileDiff diff = diff_of(a, b, 3, "");
  ASSERT_EQ(diff.ranks.size(), 2U);
  EXPECT_EQ(diff.ranks[1].config_id, 2U);
  EXPECT_EQ(diff.ranks[1].to, 1);
  EXPECT_EQ(diff.ranks[1].cause, "rows ranked before it were added, removed or changed");
}

TEST(Diff, TellsSettingsFromWhatRowsAreWorkedOutWith) {
  results::FileState before, after;
  before.row_key = "a", after.row_key = "b";
  EXPECT_THAT(diff_of(tiny_results({{}}, before), tiny_results({{}}, after), 3, "").causes,
              ElementsAre("settings"));
  after.catalog_key = "c";
  EXPECT_THAT(diff_of(tiny_results({{}}, before), tiny_results({{}}, after), 3, "").causes,
              ElementsAre("presets"));
}

// Every row looked up in the other file, every rank counted out.
TEST(Diff, EqualsTheComparisonOfEveryPair) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    std::map<std::uint64_t, double> a, b;
    std::vector<TinyRow> rows_a, rows_b;
    for (std::uint64_t i = 0; i < 30; ++i) {
      const std::uint64_t id = random() % 40;
      const double step = 1.0 + static_cast<double>(random() % 8);
      if (i % 2 == 0 && a.try_emplace(id, step).second) rows_a.push_back({.id = id, .step = step});
      if (i % 2 == 1 && b.try_emplace(id, step).second) rows_b.push_back({.id = id, .step = step});
    }
    const FileDiff diff = diff_of(tiny_results(rows_a), tiny_results(rows_b), 100, "");
    std::int64_t both = 0, changed = 0, moved = 0;
    const auto rank = [](const auto& all, std::uint64_t id) {
      const auto own = all.find(id);
      if (own == all.end()) return std::int64_t{0};
      return 1 + std::ranges::count_if(all, [&](const auto& row) { return row.second < own->second; });
    };
    for (std::uint64_t id = 0; id < 40; ++id) {
      if (a.contains(id) && b.contains(id)) ++both, changed += a[id] != b[id] ? 1 : 0;
      moved += rank(a, id) != rank(b, id) ? 1 : 0;
    }
    EXPECT_EQ(diff.both, both);
    EXPECT_EQ(diff.only_first, std::ssize(a) - both);
    EXPECT_EQ(diff.only_second, std::ssize(b) - both);
    EXPECT_EQ(diff.metrics.empty() ? 0 : diff.metrics[0].rows, changed);
    EXPECT_EQ(std::ssize(diff.ranks), moved);
    for (const RankChange& change : diff.ranks) {
      EXPECT_EQ(change.from, rank(a, change.config_id));
      EXPECT_EQ(change.to, rank(b, change.config_id));
    }
  }
}

TEST(Diff, LooksOnlyAtWhatTheExpressionKeeps) {
  const auto a = tiny_results({{.id = 1, .gpus = 8, .step = 1.0}, {.id = 2, .gpus = 64, .step = 2.0}});
  const auto b = tiny_results({{.id = 1, .gpus = 8, .step = 1.0}, {.id = 2, .gpus = 64, .step = 3.0}});
  EXPECT_TRUE(diff_of(a, b, 10, "gpus < 10").is_equal());
  EXPECT_FALSE(diff_of(a, b, 10, "").is_equal());
}

}  // namespace
}  // namespace echo::query
