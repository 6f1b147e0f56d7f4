// No run that was published may be called out of memory: it did fit.
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

bool fits(const training::TrainingConfig& config, const simulate::Catalog& catalog) {
  const simulate::ErrorModel& errors = support::presets().calibration.errors;
  const timeline::Schedule& schedule =
      *timeline::schedule_table()[static_cast<std::size_t>(config.schedule.index())];
  training::RankLayout layout;
  training::lay_out_ranks(config, catalog.model(config.model), catalog.cluster(config.cluster), {}, layout);
  schedule.place(config.degrees.pipeline, training::chunks_of(config), layout.stage_of_chunk);
  return std::ranges::all_of(simulate::memory_of_stages(config, catalog, layout),
                             [&](const training::MemoryUse& use) {
                               const Bytes limit = catalog.gpu(config).memory;
                               const auto fit = simulate::memory_fit(errors, use.part, limit);
                               return fit.chance >= simulate::least_fit_chance;
                             });
}

TEST(PublishedRuns, AreNeverCalledOutOfMemory) {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  const std::filesystem::path table =
      std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "steps/measured_steps.csv";
  if (!std::filesystem::exists(table)) GTEST_SKIP() << "no measured steps at " << table << " (ECHO_DATA_DIR)";
  const MeasuredSteps steps = read_measured_steps(CsvTable::read_file(table.string()), support::presets());
  simulate::Catalog catalog = steps.catalog;
  for (std::size_t i = 0; i < steps.gpu_memory.size(); ++i) catalog.gpus[i].memory = steps.gpu_memory[i];
  int seen = 0;
  for (const MeasuredStep& step : steps.rows) {
    if (!step.config || !simulate::why_unsupported(*step.config, steps.catalog).empty()) continue;
    ++seen;
    EXPECT_TRUE(std::ranges::any_of(readings_of(step), [&](const auto& c) { return fits(c, catalog); }))
        << step.row;
  }
  EXPECT_GT(seen, 1000);
}

}  // namespace
}  // namespace echo::config
