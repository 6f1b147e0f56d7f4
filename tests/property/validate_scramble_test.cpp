// Predictions of a table of measured steps never look at what was measured.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "config/measured/measured_steps.hpp"
#include "tests/support/random_config.hpp"

namespace echo::config {
namespace {

// A handful of rows in the table's form; `measured` goes into every column that holds a measurement.
std::string table(const std::string& time, const std::string& memory, const std::string& note) {
  const std::string header =
      "row_id,source,framework,gpu,num_gpus,layers,hidden,heads,ffn_hidden,gated_ffn,vocab,seq_len,precision,"
      "tp,pp,dp,"
      "vpp,micro_batch,global_batch,recompute,schedule,flash_attention,step_time_s,step_time_kind,peak_mem_"
      "gib,mem_kind,"
      "stratum,note\n";
  const auto row = [&](const std::string& id, const std::string& degrees, const std::string& schedule) {
    return id + ",me,megatron-lm,a100-sxm-80gb,16,24,2048,16,8192,0,51200,2048,bf16," + degrees +
           ",1,64,full," + schedule + ",0," + time + ",printed," + memory + ",GB as printed,s," + note + "\n";
  };
  return header + row("a", "8,2,1,1", "1f1b") + row("b", "4,4,1,2", "interleaved") +
         row("c", "2,1,8,1", "none");
}

std::vector<SimTime> predictions(const std::string& text) {
  const MeasuredSteps steps = read_measured_steps(CsvTable::parse(text, "t.csv"), support::presets());
  simulate::Workspace ws;
  std::vector<SimTime> out;
  for (const MeasuredStep& step : steps.rows) {
    EXPECT_TRUE(step.config) << step.skipped;
    if (step.config)
      out.push_back(simulate::simulate(*step.config, steps.catalog, support::presets().calibration, ws).step);
  }
  return out;
}

TEST(MeasuredSteps, PredictionsAreTheSameWhateverWasMeasured) {
  const std::vector<SimTime> truth = predictions(table("1.5", "40", "as printed"));
  ASSERT_EQ(truth.size(), 3U);
  for (const SimTime t : truth) EXPECT_GT(t, SimTime::zero());
  EXPECT_EQ(predictions(table("99999", "0.001", "something else")), truth);
  EXPECT_EQ(predictions(table("", "", "")), truth);
  EXPECT_EQ(predictions(table("0", "-1", "")), truth);
}

TEST(MeasuredSteps, DecimalGigabytesBecomeBinaryOnes) {
  const MeasuredSteps steps =
      read_measured_steps(CsvTable::parse(table("1", "80", ""), "t.csv"), support::presets());
  EXPECT_NEAR(steps.rows.front().peak_memory->gib, 74.5058, 1e-4);
}

TEST(MeasuredSteps, WhatIsNotSimulatedIsSkippedWithItsReason) {
  std::string text = table("1", "1", "");
  text.replace(text.find("interleaved"), 11, "zb-unknown");
  const MeasuredSteps steps = read_measured_steps(CsvTable::parse(text, "t.csv"), support::presets());
  EXPECT_EQ(steps.rows[1].skipped, "schedule zb-unknown is not simulated yet");
}

// Of the machine that the row's columns spell out, only what they say differs from the site's.
TEST(MeasuredSteps, RunsOfAPublicationWhoseMachineIsKnownRunOnIt) {
  std::string text = table("1", "1", "");
  text.replace(text.find(",me,"), 4, ",bloom-chronicles,");
  const MeasuredSteps steps = read_measured_steps(CsvTable::parse(text, "t.csv"), support::presets());
  const machine::ClusterSpec& site = steps.catalog.cluster(steps.rows[0].config->cluster);
  const machine::ClusterSpec& other = steps.catalog.cluster(steps.rows[1].config->cluster);
  EXPECT_EQ(site.network, "omni-path-100");
  EXPECT_TRUE(site.launch_blocking);
  EXPECT_EQ(other.network, "default-a100");
  EXPECT_FALSE(other.launch_blocking);
}

TEST(Step, TakesWhatHostAndGpuTakeWhereLaunchesBlock) {
  MeasuredSteps steps =
      read_measured_steps(CsvTable::parse(table("1", "1", ""), "t.csv"), support::presets());
  const training::TrainingConfig& c = *steps.rows[2].config;
  simulate::Workspace ws;
  const simulate::Calibration& calibration = support::presets().calibration;
  const SimTime ahead = simulate::simulate(c, steps.catalog, calibration, ws).step;
  steps.catalog.clusters[at(c.cluster.index())].launch_blocking = true;
  const simulate::StepReport blocked = simulate::simulate(c, steps.catalog, calibration, ws);
  EXPECT_GT(blocked.step, ahead);
  std::int64_t launches = 0;  // of one microbatch
  for (const auto* runs : {&ws.step.work.forward, &ws.step.work.backward})
    for (const workload::BlockRun& run : runs->value)
      launches += std::int64_t{run.count} * ws.step.work.blocks[at(run.block)].launches;
  const SimTime host = training::microbatches_of(c) * launches * steps.catalog.framework(c).host_per_kernel;
  EXPECT_LE(blocked.step - ahead, host);
  EXPECT_GE(blocked.step - ahead, host * 9 / 10);  // some of it was exposed before
}

}  // namespace
}  // namespace echo::config
