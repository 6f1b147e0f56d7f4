#include "query/text/ranked_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.hpp"
#include "query/rank/group_key.hpp"
#include "query/rank/levers.hpp"
#include "query/rank/ranking.hpp"
#include "query/rank/varying_axes.hpp"
#include "query/text/value_text.hpp"
#include "tests/support/tiny_results.hpp"

namespace echo::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string heading(const std::string& text) { return text.substr(0, text.find('\n')); }

std::size_t longest_line(const std::string& text) {
  std::istringstream in(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
  return longest;
}

// Two models and three degrees; of the first rows, only tp differs.
results::Table several() {
  results::FileState state;
  state.axes = {"tp", "model", "schedule"};
  return tiny_results({{.id = 1, .tp = 1}, {.id = 2, .tp = 2}, {.id = 3, .model = 1, .tp = 4}}, state);
}

TEST(RankedTable, ShowsWhatWasAskedForAndEveryAxisThatVaries) {
  const auto all = several();
  EXPECT_THAT(varying_axes(all), ElementsAre("model", "tp"));  // one schedule is no choice
  RankedTable request;
  request.axes = varying_axes(all);
  request.metrics = {"slowdown_tax"};
  const auto first = all.pick(std::vector<std::int64_t>{0});
  EXPECT_THAT(heading(ranked_text(all, first, request)), HasSubstr("  slowdown_tax  "));
  EXPECT_THAT(heading(ranked_text(all, first)), Not(HasSubstr("slowdown_tax")));
}

TEST(RankedTable, KeepsToTheWidthOfALineAndSaysWhatItLeavesOut) {
  const auto all = several();
  const auto shown = all.pick(std::vector<std::int64_t>{0, 1});
  RankedTable request;
  request.axes = varying_axes(all);
  const std::string whole = ranked_text(all, shown, request);
  EXPECT_GT(longest_line(whole), 100U);
  EXPECT_THAT(whole, Not(HasSubstr("left out")));
  for (const std::int64_t width : {120, 80, 60}) {
    request.width = width;
    const std::string text = ranked_text(all, shown, request);
    EXPECT_LE(longest_line(text), static_cast<std::size_t>(width)) << text;
    EXPECT_THAT(text, HasSubstr("all rows: model gpt-a")) << text;  // an axis that is equal in these rows
    EXPECT_THAT(text, HasSubstr("tp"));
    EXPECT_THAT(text, HasSubstr("step"));
  }
  EXPECT_THAT(ranked_text(all, shown, request), HasSubstr("left out of lines of 60 characters:"));
}

TEST(RankedTable, HasTheColumnsThatAreNamed) {
  const auto all = several();
  const auto shown = all.pick(std::vector<std::int64_t>{0, 2});
  RankedTable request;
  request.columns = {"tp", "step", "model"};
  std::istringstream words(heading(ranked_text(all, shown, request)));
  EXPECT_THAT((std::vector<std::string>{std::istream_iterator<std::string>(words), {}}),
              ElementsAre("#", "id", "tp", "step", "model"));
  EXPECT_THAT(legend_text(all, shown, request), HasSubstr("which names a config"));
  request.columns = {"tpp"};
  EXPECT_THROW((void)ranked_text(all, shown, request), UserError);
}

TEST(ValueText, HasWordsForCodes) {
  const auto text = [](const char* name, double value) {
    results::ColumnInfo column;
    column.name = name;
    return value_text(column, value);
  };
  EXPECT_EQ(text("nccl_version", 22105), "2.21.5");
  EXPECT_EQ(text("nccl_version", 2804), "2.8.4");
  EXPECT_EQ(text("comm_kernels", 2), "deepep");
  EXPECT_EQ(text("comm_kernels", 0), "none");
  EXPECT_EQ(text("recompute_modules", 62), "layernorm+mla_up_proj+mlp+moe_act+moe");
  EXPECT_EQ(text("tp", 8), "8");
}

TEST(GroupColumns, SplitByUpToFourCodedOrIntegerColumns) {
  const auto all = several();
  const auto groups =
      ranked(all, {.by = {"step_time", sweep::Goal::min}, .count = 1, .per = "model, tp", .where = ""});
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "gpt-a, 1");
  EXPECT_EQ(groups[2].name, "gpt-b, 4");
  EXPECT_THROW((GroupColumns{all, "step_time"}), UserError);
  EXPECT_THROW((GroupColumns{all, "nothing"}), UserError);
  EXPECT_THROW((GroupColumns{all, "tp,pp,dp,cp,ep"}), UserError);
}

// gpus goes with tp one to one; model has groups of its own.
TEST(Levers, AreAxesOfTheSweepAndAliasesOnce) {
  results::FileState state;
  state.axes = {"tp", "gpus", "model"};
  const auto rows = tiny_results({{.gpus = 8, .tp = 1, .step = 4.0},
                                  {.model = 1, .gpus = 8, .tp = 1, .step = 4.5},
                                  {.gpus = 16, .tp = 2, .step = 2.0},
                                  {.model = 1, .gpus = 16, .tp = 2, .step = 2.5}},
                                 state);
  std::vector<std::string> names;
  for (const results::MainEffect& effect : levers_of(rows, "step_time")) names.push_back(effect.axis);
  ASSERT_EQ(names.size(), 2U);
  EXPECT_EQ(names[1], "model");
  state.axes = {"model"};
  const auto fewer = tiny_results({{.tp = 1, .step = 4.0}, {.model = 1, .tp = 2, .step = 4.5}}, state);
  ASSERT_EQ(levers_of(fewer, "step_time").size(), 1U);
}

}  // namespace
}  // namespace echo::query
