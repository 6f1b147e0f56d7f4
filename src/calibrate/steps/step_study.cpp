#include "calibrate/steps/step_study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/contract.hpp"
#include "base/quantile.hpp"
#include "training/fine_tuning.hpp"

namespace echo::calibrate {

namespace {

// The A100 seldom meets its power limit: its factor comes from kernel tables.
constexpr std::int32_t first_capability_at_the_limit = 90;

// The frameworks whose kernels are NVIDIA's own are these and those based on them, under any recipe.
constexpr std::array<std::string_view, 2> known_best{"megatron-core", "megatron-lm"};

int width_of(machine::Precision precision) {
  if (precision == machine::Precision::nvfp4) return 4;
  return machine::is_narrow(precision) ? 8 : 16;
}

}  // namespace

StepRows StepStudy::scored() {
  StepRows out;
  for (const config::MeasuredStep& step : steps.rows)
    if (step.config && step.step_seconds && step.setting != simulate::Setting::production &&
        predict(step) > 0.0)
      out.push_back(&step);
  return out;
}

double StepStudy::predict(const config::MeasuredStep& step) {
  const simulate::StepReport report = simulate::simulate(*step.config, steps.catalog, calibration, workspace);
  return report.status == training::Status::ok ? to_seconds(report.step) : 0.0;
}

StepStudy read_step_study(const std::string& table, Facts facts) {
  config::CatalogInputs presets = config::read_catalog();
  if (facts == Facts::stock)
    std::erase_if(presets.publications,
                  [](const config::PublishedRuns& rule) { return rule.of == config::RuleOf::publication; });
  return {config::read_measured_steps(CsvTable::read_file(table), presets), presets.calibration, {}, facts};
}

std::string default_step_table() {
  const char* folder = std::getenv("ECHO_DATA_DIR");
  return std::string(folder != nullptr ? folder : "../shared/data") + "/steps/measured_steps.csv";
}

std::string step_option(std::span<char* const> args, std::string_view name, std::string otherwise) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i)
    if (args[i] == name) otherwise = args[i + 1];
  return otherwise;
}

double unbiased_rate(StepStudy& study, const StepRows& rows, kernels::KernelConstants& constants,
                     SustainedRate rate) {
  const double before = constants.*rate;
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 20; ++i) {
    const double middle = constants.*rate = (low + high) / 2;
    study.forget_prices();
    (median_of(log_ratios(study, rows)) < 0 ? low : high) = middle;
  }
  constants.*rate = before;
  study.forget_prices();
  return (low + high) / 2;
}

StepRows rate_rows(const StepStudy& study, const StepRows& rows, const std::string& kernels, int width) {
  StepRows out;
  for (const config::MeasuredStep* row : rows) {
    const training::TrainingConfig& c = *row->config;
    const machine::GpuSpec& gpu = study.steps.catalog.gpu(c);
    const simulate::Catalog& catalog = study.steps.catalog;
    const std::string& root = training::line_of(catalog.framework(c), catalog.frameworks).front()->name;
    const bool is_dense = study.steps.catalog.model(c.model).experts == 0;
    const bool tunes = training::is_fine_tuning(c);
    if (gpu.kernels == kernels && gpu.compute_capability >= first_capability_at_the_limit &&
        std::find(known_best.begin(), known_best.end(), root) != known_best.end() &&
        width_of(c.precision) == width && c.degrees.context == 1 && is_dense && !tunes)
      out.push_back(row);
  }
  return out;
}

std::vector<double> log_ratios(StepStudy& study, const StepRows& rows) {
  std::vector<double> out;
  for (const config::MeasuredStep* row : rows)
    out.push_back(std::log(study.predict(*row) / *row->step_seconds));
  return out;
}

double mean_error(const std::vector<double>& logs) {
  double sum = 0.0;
  for (const double x : logs) sum += std::abs(std::exp(x) - 1.0);
  return sum / static_cast<double>(logs.size());
}

}  // namespace echo::calibrate
