#include "calibrate/memory/memory_errors.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "config/measured/measured_steps.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/stage_memory.hpp"

namespace echo::calibrate {

namespace {

bool fits(const std::vector<training::MemoryUse>& stages, const simulate::ErrorModel& errors, Bytes limit) {
  return std::ranges::all_of(stages, [&](const training::MemoryUse& use) {
    return simulate::memory_fit(errors, use.part, limit).chance >= simulate::least_fit_chance;
  });
}

}  // namespace

std::vector<MemoryError> memory_errors(const CsvTable& table, const config::CatalogInputs& presets) {
  const config::MeasuredSteps steps = config::read_measured_steps(table, presets);
  simulate::Workspace workspace;
  std::vector<MemoryError> out;
  for (const config::MeasuredStep& step : steps.rows) {
    if (!step.config || !step.peak_memory) continue;
    const training::TrainingConfig& config = *step.config;
    const auto report = simulate::simulate(config, steps.catalog, presets.calibration, workspace);
    if (report.status != training::Status::ok) continue;
    const Bytes limit = steps.gpu_memory[at(steps.catalog.cluster(config.cluster).gpu.index())];
    std::vector<training::MemoryUse> stages;
    for (const training::TrainingConfig& reading : config::readings_of(step)) {
      stages = simulate::memory_of_stages(reading, steps.catalog, workspace.step.layout);
      if (fits(stages, presets.calibration.errors, limit)) break;
    }
    const training::MemoryPart last = config::last_part(step.peak_memory->figure);
    const training::MemoryUse& use = config::measured_stage(stages, *step.peak_memory);
    out.push_back({step.row, step.source, std::log(step.peak_memory->gib / (use.up_to(last) / 1_GiB)),
                   simulate::memory_content(use.part, last)});
  }
  return out;
}

}  // namespace echo::calibrate
