#include "calibrate/steps/step_errors.hpp"

#include <cmath>
#include <map>

#include "base/at.hpp"
#include "calibrate/steps/practice_report.hpp"
#include "config/measured/measured_steps.hpp"
#include "simulate/simulate.hpp"

namespace echo::calibrate {

namespace {

class Numbers {
 public:
  std::int32_t of(const std::string& name) {
    return number_.emplace(name, static_cast<std::int32_t>(number_.size())).first->second;
  }

 private:
  std::map<std::string, std::int32_t> number_;
};

std::map<std::string, double, std::less<>> predictions_of(const CsvTable& table) {
  std::map<std::string, double, std::less<>> out;
  for (std::size_t i = 0; i < table.rows(); ++i)
    if (const auto seconds = table.number(i, "predicted"); seconds && *seconds > 0.0)
      out[std::string(table.text(i, "row"))] = *seconds;
  if (out.empty())
    throw UserError({{table.header_place(), "no predicted step times",
                      "write a table of row and predicted (s), as `echo-sweep validate --csv` does"}});
  return out;
}

}  // namespace

std::vector<StepError> step_errors(const CsvTable& table, const config::CatalogInputs& presets,
                                   const CsvTable& predicted) {
  const config::MeasuredSteps steps = config::read_measured_steps(table, presets);
  const auto given = predictions_of(predicted);
  const Practices practices = practices_of(steps, presets.calibration);
  std::map<std::string, simulate::Practice> others;  // by publication
  for (const auto& [publication, own] : practices)
    others[publication] = practice_without(practices, publication);
  std::vector<StepError> out;
  Numbers gpus, clusters, frameworks;
  simulate::Workspace workspace;
  for (const config::MeasuredStep& step : steps.rows) {
    if (!step.config || !step.step_seconds) continue;
    const auto elsewhere = given.find(step.row);
    if (elsewhere == given.end()) continue;
    const training::TrainingConfig& config = *step.config;
    StepError one{.row = step.row, .publication = step.source};
    one.report = simulate::simulate(config, steps.catalog, presets.calibration, workspace);
    if (one.report.status != training::Status::ok) continue;
    one.evidence = workspace.step.evidence;
    one.evidence.untried = simulate::untried(others.at(step.source), config, steps.catalog);
    one.error = std::log(elsewhere->second / *step.step_seconds);
    const std::array<std::int32_t, 4> owner{gpus.of(steps.catalog.gpu(config).kernels),
                                            clusters.of(steps.catalog.cluster(config.cluster).network),
                                            frameworks.of(steps.catalog.framework(config.framework).name),
                                            -1};
    for (std::size_t k = 0; k < one.owner.size(); ++k)
      one.owner[k] = owner[at(owner_of(static_cast<ErrorSource>(k)))];
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace echo::calibrate
