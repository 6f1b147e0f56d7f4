#include "apps/file_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/apps/tiny_results.hpp"

namespace echo::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  EXPECT_EQ(diff.ranks[1].cause, "rows ahead of it came, went or changed");
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

TEST(Diff, LooksOnlyAtWhatTheExpressionKeeps) {
  const auto a = tiny_results({{.id = 1, .gpus = 8, .step = 1.0}, {.id = 2, .gpus = 64, .step = 2.0}});
  const auto b = tiny_results({{.id = 1, .gpus = 8, .step = 1.0}, {.id = 2, .gpus = 64, .step = 3.0}});
  EXPECT_TRUE(diff_of(a, b, 10, "gpus < 10").is_equal());
  EXPECT_FALSE(diff_of(a, b, 10, "").is_equal());
}

}  // namespace
}  // namespace echo::apps
