#include "query/text/row_export.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "tests/support/tiny_results.hpp"

namespace echo::query {
namespace {

using ::testing::HasSubstr;

std::string exported(const results::ResultRows& rows, const ExportRequest& request) {
  std::string text;
  export_rows(rows, request, [&](std::string_view lines) { text += lines; });
  return text;
}

TEST(Export, WritesWordsIdsAndUnits) {
  const auto table = tiny_results({{.id = 0xab, .model = 1, .gpus = 8, .step = 0.1}, {.id = 1, .status = 1}});
  EXPECT_EQ(exported(table, {.columns = {"config_id", "model", "gpus", "step_time"}, .where = ""}),
            "config_id,model,gpus,step_time[s]\n00000000000000ab,gpt-b,8,0.1\n0000000000000001,gpt-a,8,\n");
  EXPECT_EQ(exported(table, {ExportFormat::jsonl, {"config_id", "model", "step_time"}, ""}),
            "{\"config_id\": \"00000000000000ab\", \"model\": \"gpt-b\", \"step_time\": 0.1}\n"
            "{\"config_id\": \"0000000000000001\", \"model\": \"gpt-a\", \"step_time\": null}\n");
}

TEST(Export, MakesAColumnOfEachPart) {
  const auto table = tiny_results({{.forward = 0.25}});
  const std::string text = exported(table, {.columns = {"breakdown/exposed_time"}, .where = ""});
  EXPECT_EQ(text.substr(0, text.find(',')), "breakdown/exposed_time/forward");
  EXPECT_THAT(text, HasSubstr("\n0.25,"));
}

TEST(Export, KeepsWhatItIsToldTo) {
  const auto table = tiny_results({{.gpus = 8}, {.gpus = 16}, {.gpus = 32, .status = 1}});
  EXPECT_EQ(exported(table, {.columns = {"gpus"}, .where = "gpus >= 16"}), "gpus\n16\n32\n");
  EXPECT_EQ(exported(table, {.columns = {"gpus"}, .where = "status == 'ok'"}), "gpus\n8\n16\n");
}

TEST(Export, OfAllColumnsHasAsManyCellsInEveryLine) {
  const auto table = tiny_results({{}, {.status = 1}, {.model = 1}});
  std::istringstream lines(exported(table, {}));
  std::ptrdiff_t cells = -1;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto here = std::ranges::count(line, ',');
    EXPECT_EQ(cells < 0 ? here : cells, here) << line;
    cells = here;
  }
  EXPECT_EQ(count, 4);
}

TEST(Export, ReadsBackTheSameNumbers) {
  std::vector<TinyRow> rows;
  for (int i = 1; i < 400; ++i) rows.push_back({.step = std::exp(0.37 * i - 60.0) / 3.0});
  std::istringstream lines(exported(tiny_results(rows), {.columns = {"step_time"}, .where = ""}));
  std::string line;
  std::getline(lines, line);
  for (const TinyRow& row : rows) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(std::strtod(line.c_str(), nullptr), row.step);
  }
}

TEST(Export, WritesSinglePrecisionAsBrieflyAsItReadsBack) {
  auto mfu = column("mfu", "metric");
  mfu.type = storage::ElementType::f4;
  mfu.reals = {static_cast<double>(0.1F)};
  auto scale = column("config", "scale");
  scale.integers = {0};
  EXPECT_EQ(exported(results::Table({scale, mfu}), {.columns = {"mfu"}, .where = ""}), "mfu\n0.1\n");
}

}  // namespace
}  // namespace echo::query
