#include "calibrate/steps/step_errors.hpp"

#include <cmath>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "training/fine_tuning.hpp"

namespace echo::calibrate {

namespace {

std::int32_t number_of(std::map<std::string, std::int32_t>& numbers, const std::string& name) {
  return numbers.emplace(name, static_cast<std::int32_t>(numbers.size())).first->second;
}

// What is wrong of a framework's experts or adapters says nothing of its dense models' pre-training.
std::string work_of(const training::TrainingConfig& config, const simulate::Catalog& catalog) {
  const bool tunes = training::is_fine_tuning(config);
  return catalog.framework(config).name + (catalog.model(config.model).has_experts() ? " with experts"
                                           : tunes                                   ? " tuning"
                                                                                     : "");
}

}  // namespace

std::array<std::int32_t, error_source_count> ErrorOwners::of(const training::TrainingConfig& config,
                                                             const simulate::Catalog& catalog) {
  const std::array<std::int32_t, 4> owner{number_of(gpus_, catalog.gpu(config).kernels),
                                          number_of(networks_, catalog.cluster(config.cluster).network),
                                          number_of(frameworks_, work_of(config, catalog)), -1};
  std::array<std::int32_t, error_source_count> out{};
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = owner[at(owner_of(static_cast<ErrorSource>(k)))];
  return out;
}

std::optional<StepError> step_error(StepStudy& study, const config::MeasuredStep& step, ErrorOwners& owners) {
  StepError out{.row = step.row, .publication = step.source};
  // Frameworks as they come serve runs as their publications describe them where no fact is missing.
  study.calibration.settings_from =
      study.facts == Facts::published ? simulate::SettingsFrom::run : step.settings_from;
  out.report = simulate::simulate(*step.config, study.steps.catalog, study.calibration, study.workspace);
  if (out.report.status != training::Status::ok) return std::nullopt;
  out.evidence = study.workspace.step.evidence;
  out.error = std::log(to_seconds(out.report.step) / *step.step_seconds);
  out.owner = owners.of(*step.config, study.steps.catalog);
  return out;
}

}  // namespace echo::calibrate
