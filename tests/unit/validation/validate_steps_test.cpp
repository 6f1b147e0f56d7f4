#include "validation/steps/validate_steps.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_config.hpp"
#include "validation/steps/step_ranking.hpp"
#include "validation/steps/step_strata.hpp"
#include "validation/steps/worst_steps.hpp"
#include "validation/validate_report.hpp"

namespace echo::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string header =
    "row_id,source,framework,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,"
    "tp,"
    "pp,dp,cp,vpp,micro_batch,global_batch,recompute,schedule,flash_attention,zero,task,step_time_s,"
    "stratum\n";

struct Line {
  std::string id = "a", source = "me", gpu = "a100-sxm-80gb", precision = "bf16", recompute = "full",
              schedule = "1f1b", task = "pretrain", stratum = "mine";
  int gpus = 16, seq = 2048, tp = 8, pp = 2, dp = 1, cp = 1, vpp = 1, flash = 0, zero = 0;
  double seconds = 9.5;
  [[nodiscard]] std::string line() const {
    return fmt::format(
        "{},{},megatron-lm,{},{},24,2048,16,8192,0,51200,{},{},{},{},{},{},{},1,64,{},{},{},{},{},{},{}\n",
        id, source, gpu, gpus, seq, precision, tp, pp, dp, cp, vpp, recompute, schedule, flash, zero, task,
        seconds, stratum);
  }
};

config::MeasuredSteps steps_of(const std::vector<Line>& lines) {
  std::string text = header;
  for (const Line& run : lines) text += run.line();
  return config::read_measured_steps(CsvTable::parse(text, "t.csv"), support::presets());
}

std::vector<PredictedStep> predicted(const config::MeasuredSteps& steps) {
  return predict_steps(steps, support::presets().calibration, {});
}

ValidatedTable validated(const std::vector<Line>& lines, const ValidateOptions& options = {}) {
  return validate_steps(steps_of(lines), "t.csv", support::presets().calibration, options);
}

// Measured times are made up from predicted ones.
double seconds_of(const Line& run) { return predicted(steps_of({run})).front().seconds(); }
Line measured(Line run, double over_measured) {
  run.seconds = seconds_of(run) / over_measured;
  return run;
}

TEST(ValidateSteps, FeaturesAreWhatARunMakesUseOf) {
  const auto steps =
      steps_of({{},
                {.schedule = "interleaved", .vpp = 2},
                {.precision = "fp16", .recompute = "none", .tp = 1, .pp = 1, .dp = 16, .flash = 1},
                {.gpu = "h100-sxm",
                 .precision = "fp8",
                 .recompute = "selective",
                 .seq = 8192,
                 .pp = 1,
                 .cp = 2,
                 .flash = 1},
                {.recompute = "none", .tp = 1, .pp = 1, .dp = 16, .flash = 1, .zero = 3}});
  const auto rows = predicted(steps);
  EXPECT_THAT(features_of(rows[0]), ElementsAre("tp", "pp", "full recompute", "unfused attention"));
  EXPECT_THAT(features_of(rows[1]), ElementsAre("tp", "pp", "vpp", "full recompute", "unfused attention"));
  EXPECT_THAT(features_of(rows[2]), ElementsAre("plain"));
  EXPECT_THAT(features_of(rows[3]), ElementsAre("tp", "cp", "selective recompute", "long sequence", "fp8"));
  EXPECT_THAT(features_of(rows[4]), ElementsAre("fsdp"));
  const auto odd = steps_of({{.recompute = "none", .tp = 1, .pp = 16, .flash = 1}});
  EXPECT_THAT(features_of(predicted(odd).front()), ElementsAre("pp", "uneven stages"));
}

TEST(ValidateSteps, EveryScoredRowIsInAGroupOfEveryGrouping) {
  const ValidatedTable done =
      validated({{}, {.id = "b", .gpus = 128, .dp = 8}, {.id = "c", .tp = 16, .pp = 1}});
  EXPECT_EQ(done.all.scored, 3);
  for (const StepGrouping& grouping : step_groupings()) {
    int rows = 0;
    for (const auto& [name, errors] : done.by.at(grouping.name)) rows += errors.scored;
    EXPECT_GE(rows, 3) << grouping.name;
  }
  EXPECT_EQ(done.by.at("gpus").at("9-64").scored, 2);
  EXPECT_EQ(done.by.at("gpus").at("65-512").scored, 1);
}

TEST(ValidateSteps, TheMeasuredUtilisationFollowsTheMeasuredTime) {
  const Line run;
  const auto once = steps_of({measured(run, 1.0)}), twice = steps_of({measured(run, 0.5)});
  const auto a = predicted(once), b = predicted(twice);
  EXPECT_NEAR(measured_mfu(a.front()), a.front().prediction.report.mfu, 1e-5);
  EXPECT_NEAR(measured_mfu(b.front()), 0.5 * b.front().prediction.report.mfu, 1e-5);
}

TEST(ValidateSteps, AStratumOfWhichNothingIsScoredIsShownAndAnErrorWhereItIsExpected) {
  Line skipped{.id = "b", .stratum = "empty"};
  skipped.gpus = 7;  // degrees do not multiply to it
  const std::vector<ValidatedTable> tables{validated({{}, skipped})};
  EXPECT_EQ(tables[0].by.at("stratum").at("empty").scored, 0);
  EXPECT_THAT(tables[0].text, HasSubstr("empty       0       -"));
  check_expected({"mine", "feature=tp", "source=me"}, tables);
  for (const char* name : {"empty", "all", "no such thing", "feature=cp", "gpu=mine"}) {
    try {
      check_expected({name}, tables);
      ADD_FAILURE() << name;
    } catch (const UserError& error) {
      EXPECT_EQ(error.exit_code(), 4);
      EXPECT_THAT(error.what(), HasSubstr("no row of"));
    }
  }
}

TEST(ValidateSteps, LayoutsOfOneJobCompeteAndRepeatsOfALayoutStandOnce) {
  const Line slow{.tp = 8, .pp = 2}, fast{.id = "b", .tp = 2, .pp = 8};
  const auto steps = steps_of({measured(slow, 1.0),
                               measured(slow, 1.1),
                               measured(slow, 0.9),
                               measured(fast, 1.0),
                               {.id = "x", .seq = 1024},
                               {.id = "y", .source = "you"}});
  const StepRanking found = rank_steps(predicted(steps));
  EXPECT_EQ(found.all.groups, 1);
  EXPECT_EQ(found.all.pairs, 1);
  EXPECT_EQ(found.all.mean_tau, 1.0);
  EXPECT_EQ(found.with_repeats.pairs, 6);
  EXPECT_LT(found.with_repeats.mean_tau, 1.0);
  EXPECT_EQ(found.by_source.size(), 1U);
  EXPECT_EQ(found.by_source.at("me").pairs, 1);
}

TEST(ValidateSteps, TheWorstRowsComeFirstWithTheirBreakdownAndAGuess) {
  std::vector<Line> lines;
  for (const int tp : {1, 2, 4, 8}) {
    for (const double wobble : {0.99, 1.0, 1.01}) {
      Line run{.id = fmt::format("tp{}x{}", tp, wobble), .tp = tp, .pp = 16 / tp};
      lines.push_back(measured(run, wobble * (tp == 8 ? 0.7 : 1.0)));
    }
  }
  const auto steps = steps_of(lines);
  const auto rows = predicted(steps);
  const auto worst = worst_steps(rows, 3);
  ASSERT_EQ(worst.size(), 3U);
  EXPECT_EQ(worst[0].row->step.row, "tp8x0.99");
  for (const WorstStep& one : worst) {
    EXPECT_THAT(one.guess, HasSubstr("of me"));
    EXPECT_THAT(one.guess, HasSubstr("correlation"));
    for (std::size_t i = 1; i < one.parts.size(); ++i)
      EXPECT_GE(one.parts[i - 1].second, one.parts[i].second);
  }
  EXPECT_THAT(worst_text(worst), HasSubstr("a guess: "));
  EXPECT_TRUE(worst_steps(rows, 0).empty());
  EXPECT_EQ(worst_steps(rows, 100).size(), rows.size());
}

TEST(ValidateSteps, RowsOfTheCsvHaveACellForEveryColumn) {
  Line skipped{.id = "b"};
  skipped.gpus = 7;
  ValidateOptions options;
  options.wants_csv = true;
  const ValidatedTable done =
      validated({{}, skipped, {.id = "c", .source = "\"a, b\"", .recompute = "none"}}, options);
  const CsvTable rows = CsvTable::parse(done.csv_header + done.csv, "rows.csv");
  ASSERT_EQ(rows.rows(), 3U);
  EXPECT_EQ(rows.text(0, "gpu"), "a100-sxm-80gb");
  EXPECT_EQ(rows.text(0, "gpus"), "16");
  EXPECT_EQ(rows.text(0, "features"), "tp+pp+full recompute+unfused attention");
  EXPECT_EQ(rows.text(1, "status"), "skipped");
  EXPECT_EQ(rows.text(1, "mfu"), "");
  EXPECT_EQ(rows.text(2, "source"), "a, b");
  for (const std::size_t row : {std::size_t{0}, std::size_t{2}}) {
    double exposed = 0.0, bottlenecks = 0.0;
    for (const std::string& column : rows.columns()) {
      if (column.starts_with("exposed_")) exposed += rows.number(row, column).value();
      if (column.starts_with("driver_")) bottlenecks += rows.number(row, column).value();
    }
    EXPECT_NEAR(exposed, 1.0, 1e-4);
    EXPECT_NEAR(bottlenecks, 1.0, 1e-4);
  }
}

TEST(ValidateSteps, MarkdownHasTheErrorTablesAlone) {
  const ValidatedTable done = validated({{}});
  EXPECT_THAT(done.markdown, HasSubstr("| stratum | rows | median | mean | p90 | max | bias |\n|---|"));
  EXPECT_THAT(done.markdown, HasSubstr("| mine | 1 | "));
  EXPECT_THAT(done.markdown, ::testing::Not(HasSubstr("worst")));
}

}  // namespace
}  // namespace echo::validation
