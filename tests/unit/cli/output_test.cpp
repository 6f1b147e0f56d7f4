#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "cli/terminal/problem_text.hpp"
#include "cli/terminal/progress.hpp"
#include "tests/support/temp_file.hpp"
#include "text/json.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {
namespace {

using ::testing::HasSubstr;

TEST(ShowQuantity, PicksTheUnitThatReadsBest) {
  EXPECT_EQ(text::show_time(4.8125), "4.812 s");
  EXPECT_EQ(text::show_time(0.0125), "12.50 ms");
  EXPECT_EQ(text::show_time(-31.24e-6), "-31.2 us");
  EXPECT_EQ(text::show_time(std::nan("")), "-");
  EXPECT_EQ(text::show_duration(200.0), "3 min 20 s");
  EXPECT_EQ(text::show_duration(7500.0), "2 h 05 min");
  EXPECT_EQ(text::show_gib(61.25 * 1073741824.0), "61.2 GiB");
  EXPECT_EQ(text::show_count(3317760), "3 317 760");
  EXPECT_EQ(text::show_count(-1000), "-1 000");
  EXPECT_EQ(text::show_count(-100), "-100");
  EXPECT_EQ(text::show_bar(0.5, 10), "#####");
  EXPECT_EQ(text::show_bar(7.0, 4), "####");
}

TEST(TextTable, AlignsAndLeavesNoTrailingBlanks) {
  text::TextTable table({"n", "<name", "<"});
  table.add({"1", "a", ""});
  table.add({"20", "long", "###"});
  EXPECT_EQ(table.text(), " n  name\n 1  a\n20  long  ###\n");
}

TEST(Json, EscapesAndNests) {
  text::Json json;
  json.open_object().member("a\"b", "x\ny").key("list").open_array().value(1).value(0.5).close();
  json.member("nothing", std::nan("")).member("yes", true).key("empty").open_array().close().close();
  EXPECT_EQ(json.text(),
            "{\n  \"a\\\"b\": \"x\\ny\",\n  \"list\": [\n    1,\n    0.5\n  ],\n  \"nothing\": null,\n  "
            "\"yes\": true,\n"
            "  \"empty\": []\n}\n");
}

ProgressFacts under_way() {
  return {.name = "gpt3",
          .total = 1000,
          .resumed = 100,
          .workers = 2,
          .progress = {.by_status = {250, 148, 2, 0, 0}, .ids = 400},
          .elapsed = 2.0};
}

TEST(Progress, LineHasTheKeysOfTheContract) {
  EXPECT_EQ(progress_line(under_way(), "2026-11-20T04:41:07Z"),
            "2026-11-20T04:41:07Z progress done=500 total=1000 pct=50 rate=200/s elapsed=2s eta=2s ok=250 "
            "infeasible=148 "
            "failed=2\n");
}

TEST(Progress, EtaIsUnknownBeforeTheFirstPoint) {
  ProgressFacts facts = under_way();
  facts.progress = {};
  EXPECT_THAT(progress_line(facts, "now"), HasSubstr("eta=?"));
  EXPECT_THAT(progress_json(facts, "now"), HasSubstr("\"eta\": null"));
}

TEST(Progress, BarIsHalfFullHalfWay) {
  EXPECT_THAT(progress_bar(under_way()), HasSubstr("[##########..........]  500 / 1 000   50 %  200 pt/s"));
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
  const std::string text = problem_text(error, false);
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
