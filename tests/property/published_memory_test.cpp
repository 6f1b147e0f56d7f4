// What was published of memory: no run that ran may be called out of memory, and few that went out of memory
// may be called fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/csv.hpp"
#include "config/measured/measured_steps.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/step/stage_memory.hpp"
#include "tests/support/random_config.hpp"

namespace echo::config {
namespace {

// Of the stage that fits least.
double fit_chance(const training::TrainingConfig& config, const simulate::Catalog& catalog) {
  const simulate::ErrorModel& errors = support::presets().calibration.errors;
  const timeline::Schedule& schedule =
      *timeline::schedule_table()[static_cast<std::size_t>(config.schedule.index())];
  training::RankLayout layout;
  training::lay_out_ranks(config, catalog.model(config.model), catalog.cluster(config.cluster), {}, layout);
  schedule.place(config.degrees.pipeline, training::chunks_of(config), layout.stage_of_chunk);
  double least = 1.0;
  for (const training::MemoryUse& use : simulate::memory_of_stages(config, catalog, layout))
    least = std::min(least, simulate::memory_fit(errors, use.part, catalog.gpu(config).memory).chance);
  return least;
}

simulate::Catalog with_memory(const MeasuredSteps& steps) {
  simulate::Catalog catalog = steps.catalog;
  for (std::size_t i = 0; i < steps.gpu_memory.size(); ++i) catalog.gpus[i].memory = steps.gpu_memory[i];
  return catalog;
}

TEST(PublishedRuns, AreNeverCalledOutOfMemory) {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  const std::filesystem::path table =
      std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "steps/measured_steps.csv";
  if (!std::filesystem::exists(table)) GTEST_SKIP() << "no measured steps at " << table << " (ECHO_DATA_DIR)";
  const MeasuredSteps steps = read_measured_steps(CsvTable::read_file(table.string()), support::presets());
  const simulate::Catalog catalog = with_memory(steps);
  int seen = 0;
  for (const MeasuredStep& step : steps.rows) {
    if (!step.config || simulate::why_unsupported(*step.config, steps.catalog)) continue;
    ++seen;
    EXPECT_TRUE(std::ranges::any_of(readings_of(step), [&](const auto& c) {
      return fit_chance(c, catalog) >= simulate::least_fit_chance;
    })) << step.row;
  }
  EXPECT_GT(seen, 1000);
}

// The table was written down before any of its rows was predicted.
TEST(PublishedRuns, ThatWentOutOfMemoryAreSeldomCalledFit) {
  const auto table = std::filesystem::path(ECHO_SOURCE_DIR) / "sweeps/published/out_of_memory.csv";
  const MeasuredSteps steps = read_measured_steps(CsvTable::read_file(table.string()), support::presets());
  const simulate::Catalog catalog = with_memory(steps);
  int failed = 0, called_fit = 0, ran = 0, called_unfit = 0;
  for (const MeasuredStep& step : steps.rows) {
    ASSERT_TRUE(step.config) << step.row << ": " << step.skipped;
    const double chance = fit_chance(*step.config, catalog);
    const bool is_out = step.outcome == MemoryOutcome::out_of_memory;
    ++(is_out ? failed : ran);
    called_fit += is_out && chance >= simulate::ranked_fit_chance ? 1 : 0;
    called_unfit += !is_out && chance < simulate::least_fit_chance ? 1 : 0;
  }
  EXPECT_GE(failed, 30);
  EXPECT_LE(called_fit, failed / 10);
  EXPECT_LE(called_unfit, ran / 50);
}

}  // namespace
}  // namespace echo::config
