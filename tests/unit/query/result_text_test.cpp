#include "query/text/result_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/text/breakdown.hpp"
#include "query/text/ranked_table.hpp"
#include "tests/support/tiny_results.hpp"

namespace echo::query {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double gib = 1073741824.0;

TEST(Breakdown, SharesSumToOne) {
  const auto shares = shares_of(tiny_results({{.step = 2.0, .forward = 1.5, .bubble = 0.5}}), 0);
  double sum = 0.0;
  for (const double share : shares) sum += share;
  EXPECT_DOUBLE_EQ(sum, 1.0);
  EXPECT_DOUBLE_EQ(shares[0], 0.75);  // comp
  EXPECT_DOUBLE_EQ(shares[6], 0.25);  // bub
}

TEST(Breakdown, SaysWhichPartsDecide) {
  const auto table = tiny_results(
      {{.step = 2.0, .forward = 1.7, .bubble = 0.3}, {.step = 2.1, .forward = 1.6, .bubble = 0.5}});
  EXPECT_EQ(why_it_wins(table, 0, 1), "-200.00 ms bubble, +100.00 ms forward");
  EXPECT_EQ(why_it_wins(table, 0, 0), "every part of the step takes the same time");
}

TEST(Breakdown, ComparesGpuTimePerTokenBetweenSizes) {
  const auto table = tiny_results({{.gpus = 8, .step = 2.0, .forward = 1.6, .bubble = 0.4},
                                   {.gpus = 16, .step = 1.0, .forward = 0.8, .bubble = 0.2}});
  EXPECT_THAT(why_it_wins(table, 0, 1),
              HasSubstr("every part"));  // the same GPU seconds for the same tokens
}

TEST(Breakdown, NamesTheSettingsThatDiffer) {
  const auto table = tiny_results({{.tp = 4}, {.model = 1, .tp = 8}});
  EXPECT_EQ(what_differs(table, 0, 1), "model gpt-a -> gpt-b, tp 4 -> 8");
}

TEST(RankedText, ShowsEnoughDigitsToTellTheRowsShownFromAllOthers) {
  const auto all =
      tiny_results({{.id = 0x1000000000000000}, {.id = 0x1234567890000000}, {.id = 0x12345678a0000000}});
  EXPECT_EQ(key_digits(all, all.pick(std::vector<std::int64_t>{0})), 8);
  EXPECT_EQ(key_digits(all, all.pick(std::vector<std::int64_t>{0, 1})), 9);
}

TEST(RankedText, ShowsRareDegreesWhereARowUsesThem) {
  const std::vector<std::int64_t> first{0};
  const auto heading = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  const auto dense = tiny_results({{.ep = 1}}), mixed = tiny_results({{.ep = 1}, {.ep = 8}});
  EXPECT_THAT(heading(ranked_text(dense, dense.pick(first))), Not(HasSubstr(" ep ")));
  EXPECT_THAT(heading(ranked_text(mixed, mixed.pick(std::vector<std::int64_t>{0, 1}))),
              HasSubstr(" dp  ep  vpp "));
  EXPECT_THAT(heading(ranked_text(mixed, mixed.pick(first))), Not(HasSubstr(" ep ")));
}

TEST(PageText, ShowsTheShortfallOfAnInfeasibleRow) {
  const std::string text = page_text(tiny_results({{.status = 1, .reason = 1, .margin = 3 * gib}}), 0);
  EXPECT_THAT(text, HasSubstr("status infeasible, reason memory: short of 3.0 GiB"));
  EXPECT_THAT(text, Not(HasSubstr("breakdown of the step")));
}

TEST(PageText, NamesTheLimitOfARowThatWasTimed) {
  auto state = results::FileState{};
  state.rows = 40;
  const auto table = tiny_results({{.status = 1, .reason = 2, .limit = 1, .excess = 0.25}}, state);
  EXPECT_THAT(page_text(table, 0), HasSubstr("status infeasible, reason limit deadline: 25.0 % beyond it"));
  EXPECT_THAT(page_text(table, 0), HasSubstr("(row 0 of 40)"));
}

TEST(PageText, DrawsTheBreakdown) {
  const std::string text = page_text(tiny_results({{.step = 2.0, .forward = 1.5, .bubble = 0.5}}), 0);
  EXPECT_THAT(text, HasSubstr("75.0 %"));
  EXPECT_THAT(text, HasSubstr(std::string(30, '#')));
  EXPECT_THAT(text, Not(HasSubstr("tp_comm")));  // parts that cost nothing are left out
}

}  // namespace
}  // namespace echo::query
