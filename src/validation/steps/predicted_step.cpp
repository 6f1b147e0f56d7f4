#include "validation/steps/predicted_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/simulate.hpp"
#include "simulate/step/stage_memory.hpp"

namespace echo::validation {

namespace {

// `catalog`: with the actual memory of the GPUs.
void predict_memory(const config::MeasuredStep& step, const training::TrainingConfig& config,
                    const simulate::Catalog& catalog, const simulate::ErrorModel& errors,
                    const training::RankLayout& layout, StepPrediction& out) {
  const auto stages = simulate::memory_of_stages(config, catalog, layout);
  out.has_memory = true;
  out.fullest = *std::max_element(stages.begin(), stages.end(),
                                  [](const auto& a, const auto& b) { return a.total() < b.total(); });
  out.fit_chance = simulate::memory_fit(errors, out.fullest.part, catalog.gpu(config).memory).chance;
  out.fits = out.fit_chance >= simulate::least_fit_chance;
  if (step.peak_memory)
    out.memory_gib =
        config::measured_stage(stages, *step.peak_memory).up_to(config::last_part(step.peak_memory->figure)) /
        1_GiB;
}

// The calibration of each setting, by where the settings of a run come from (SettingsFrom).
using Settings = std::array<std::array<simulate::Calibration, 3>, simulate::setting_names.size()>;

Settings settings_of(const simulate::Calibration& calibration) {
  Settings out;
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t from = 0; from < out[i].size(); ++from) {
      out[i][from] = calibration;
      out[i][from].setting = static_cast<simulate::Setting>(i);
      out[i][from].settings_from = static_cast<simulate::SettingsFrom>(from);
    }
  return out;
}

StepPrediction predict(const config::MeasuredStep& step, const simulate::Catalog& catalog,
                       const simulate::Catalog& with_memory, const Settings& settings,
                       simulate::Workspace& workspace) {
  StepPrediction out;
  if (!step.config) return out;
  const simulate::Calibration& calibration =
      settings.at(at(step.setting.value_or(simulate::Setting::benchmark))).at(at(step.settings_from));
  out.report = simulate::simulate(*step.config, catalog, calibration, workspace);
  if (out.report.status != training::Status::ok) return out;
  auto readings = config::readings_of(step);
  // What made it run is not looked for where it did not run.
  if (step.outcome == config::MemoryOutcome::out_of_memory) readings.resize(1);
  for (std::size_t i = 0; i < readings.size() && (i == 0 || !out.fits); ++i) {
    predict_memory(step, readings[i], with_memory, calibration.errors, workspace.step.layout, out);
    out.read_to_fit = i > 0;
  }
  return out;
}

std::string why_skipped(const config::MeasuredStep& step, const simulate::Catalog& catalog,
                        const StepPrediction& prediction) {
  if (!step.config || prediction.report.status == training::Status::ok) return step.skipped;
  const Refusal refusal = simulate::why_unsupported(*step.config, catalog);
  return refusal ? refusal.text : "no framework could start it";
}

}  // namespace

std::optional<double> PredictedStep::memory_gib() const {
  if (!is_predicted() || !step.peak_memory || std::isnan(prediction.memory_gib)) return std::nullopt;
  return prediction.memory_gib;
}

std::vector<PredictedStep> predict_steps(const config::MeasuredSteps& steps,
                                         const simulate::Calibration& calibration, const RowShares& shares) {
  simulate::Catalog with_memory = steps.catalog;
  for (std::size_t i = 0; i < steps.gpu_memory.size(); ++i) with_memory.gpus[i].memory = steps.gpu_memory[i];
  simulate::Workspace workspace;
  const Settings settings = settings_of(calibration);
  const auto predictions = shares.predict<StepPrediction>(steps.rows.size(), [&](std::size_t i) {
    return predict(steps.rows[i], steps.catalog, with_memory, settings, workspace);
  });
  std::vector<PredictedStep> out;
  for (std::size_t i = 0; i < steps.rows.size(); ++i)
    out.push_back({steps.rows[i], steps.catalog, predictions[i],
                   why_skipped(steps.rows[i], steps.catalog, predictions[i])});
  return out;
}

}  // namespace echo::validation
