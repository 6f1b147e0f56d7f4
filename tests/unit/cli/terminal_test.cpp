#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/progress.hpp"
#include "tests/support/temp_file.hpp"

namespace echo::cli {
namespace {

using ::testing::HasSubstr;

ProgressFacts under_way() {
  return {.name = "gpt3",
          .total = 1000,
          .resumed = 100,
          .workers = 2,
          .progress = {.by_status = {250, 148, 2, 0, 0}, .ids = 400, .best = {469.72, 0x8384c9ad12345678}},
          .elapsed = 2.0};
}

TEST(Progress, LineHasTheKeysOfTheContract) {
  EXPECT_EQ(progress_line(under_way(), "2026-11-20T04:41:07Z"),
            "2026-11-20T04:41:07Z progress done=500 total=1000 pct=50 rate=200/s elapsed=2s eta=2s ok=250 "
            "infeasible=148 "
            "failed=2 best=469.7/s/gpu best_config=8384c9ad12345678\n");
}

TEST(Progress, EtaIsUnknownBeforeTheFirstPoint) {
  ProgressFacts facts = under_way();
  facts.progress = {};
  EXPECT_THAT(progress_line(facts, "now"), HasSubstr("eta=?"));
  EXPECT_THAT(progress_line(facts, "now"), HasSubstr("best=? best_config=?"));
  EXPECT_THAT(progress_json(facts, "now"), HasSubstr("\"eta\": null"));
  EXPECT_THAT(progress_json(facts, "now"), HasSubstr("\"best\": null, \"best_config\": null}"));
}

TEST(Progress, BarIsHalfFullHalfWay) {
  EXPECT_THAT(progress_bar(under_way()), HasSubstr("[##########..........]  500 / 1 000   50 %  200 pt/s"));
}

TEST(Progress, TheBestSoFarIsBesideIt) {
  EXPECT_THAT(progress_bar(under_way()), HasSubstr(" · best 469.7 tokens/s/GPU 8384c9ad · "));
  EXPECT_THAT(progress_json(under_way(), "now"),
              HasSubstr("\"best\": 469.72, \"best_config\": \"8384c9ad12345678\"}"));
}

TEST(Progress, ABarIsCutAtTheTerminalsEdge) {
  const std::string whole = progress_bar(under_way());
  EXPECT_EQ(progress_bar(under_way(), 1000), whole);
  EXPECT_EQ(progress_bar(under_way(), 20), whole.substr(0, 20));
  const std::size_t dot = whole.find("·");  // two bytes, one character
  EXPECT_EQ(progress_bar(under_way(), static_cast<std::int64_t>(dot) + 1), whole.substr(0, dot + 2));
}

TEST(Progress, AutoIsABarOnATerminalOnly) {
  EXPECT_EQ(progress_style("auto", true), ProgressStyle::bar);
  EXPECT_EQ(progress_style("auto", false), ProgressStyle::line);
  EXPECT_EQ(progress_style("json", true), ProgressStyle::json);
}

TEST(ProblemText, PutsACaretUnderTheToken) {
  const TempFile place("problem_text_test.toml");
  const std::string file = place.path.string();
  std::ofstream(file) << "schema = 1\n  tp = \"four\"\n";
  const UserError error({Problem{{file, 2, 8, 6}, "tp must be a number", "write tp = 4"}});
  const std::string text = problem_text(error, false, Purpose::simulate);
  EXPECT_THAT(problem_text(error, false), HasSubstr("1 error (exit 2)\n"));
  EXPECT_THAT(text, HasSubstr(file + ":2:8: error: tp must be a number\n"));
  EXPECT_THAT(text, HasSubstr("    2 |   tp = \"four\"\n      |        ^~~~~~ write tp = 4\n"));
  EXPECT_THAT(text, HasSubstr("1 error; nothing was simulated (exit 2)\n"));
  EXPECT_THAT(problem_json(error), HasSubstr("\"line\": 2"));
}

TEST(ProblemText, NeedsNoFile) {
  EXPECT_EQ(problem_text(UserError("disk full", "free some", 5), false), "error: disk full\n  free some\n");
}

}  // namespace
}  // namespace echo::cli
