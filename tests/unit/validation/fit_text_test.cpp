#include "validation/steps/fit_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_config.hpp"

namespace echo::validation {
namespace {

using ::testing::HasSubstr;

// A GPT of 24 layers and 2048 channels on one A100 of 80 GB, which holds micro-batches of a few sequences.
config::MeasuredSteps runs(const std::string& lines) {
  return config::read_measured_steps(
      CsvTable::parse("row_id,source,framework,gpu,num_gpus,layers,hidden,heads,vocab,seq_len,tp,pp,dp,"
                      "micro_batch,global_batch,recompute,zero,flash_attention,step_time_s,mem_kind\n" +
                          lines,
                      "t.csv"),
      support::presets());
}
std::string run(const char* source, int micro_batch, const char* seconds, const char* mem_kind) {
  return fmt::format("a,{},megatron-lm,a100-sxm-80gb,1,24,2048,16,51200,2048,1,1,1,{},256,none,0,1,{},{}\n",
                     source, micro_batch, seconds, mem_kind);
}

FitScores scores_of(const config::MeasuredSteps& steps) {
  return fit_scores(predict_steps(steps, support::presets().calibration, {}));
}

TEST(FitText, RunsAreCountedByWhatHappenedAndByTheirChance) {
  const auto steps =
      runs(run("me", 1, "2.5", "") + run("me", 64, "", "out of memory") + run("you", 1, "", "out of memory") +
           run("you", 1, "", "ran") + run("you", 1, "", ""));
  const FitScores scores = scores_of(steps);
  EXPECT_EQ(scores.ran.at("me").fit, 1);
  EXPECT_EQ(scores.ran.at("you").fit, 1);
  EXPECT_EQ(scores.out_of_memory.at("me").unfit, 1);
  EXPECT_EQ(scores.out_of_memory.at("you").fit, 1);  // a report that the model contradicts
  EXPECT_EQ(FitScores::all(scores.ran).runs(), 2);
  EXPECT_EQ(FitScores::all(scores.out_of_memory).runs(), 2);
  EXPECT_THAT(fit_text(scores), HasSubstr("out of memory  all        2     50.0 %"));
}

TEST(FitText, ATableWithoutOutcomesHasNoText) {
  const auto steps = runs(run("you", 1, "", ""));
  EXPECT_EQ(fit_text(scores_of(steps)), "");
}

// Only a run that ran must have had what the table leaves open as it fits.
TEST(FitText, WhatIsLeftOpenStaysAsTheFrameworkHasItWhereARunWentOutOfMemory) {
  const std::string open = "a,me,megatron-lm,a100-sxm-80gb,1,24,2048,16,51200,2048,1,1,1,32,256,,0,1,{},{}\n";
  const auto ran = runs(fmt::format(fmt::runtime(open), "9.9", "")),
             failed = runs(fmt::format(fmt::runtime(open), "", "out of memory"));
  EXPECT_EQ(scores_of(ran).ran.at("me").unfit, 0);
  EXPECT_EQ(scores_of(failed).out_of_memory.at("me").unfit, 1);
}

}  // namespace
}  // namespace echo::validation
