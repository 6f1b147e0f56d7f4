// The MFU of a published run is the program's: the model's FLOPs, counted as for every row, over the measured
// step and the peak of the number format. Publications count FLOPs in several ways, so that what they print
// is not compared.
#include "calibrate/steps/practice_report.hpp"

#include <fmt/format.h>

#include <string>

#include "calibrate/steps/step_study.hpp"
#include "config/catalog/fitted/practice_file.hpp"
#include "config/toml/read_file.hpp"

namespace echo::calibrate {

namespace {

constexpr const char* derived_on = "2026-11-23";

}  // namespace

Practices practices_of(const config::MeasuredSteps& steps, const simulate::Calibration& calibration) {
  Practices out;
  simulate::Workspace workspace;
  for (const config::MeasuredStep& run : steps.rows) {
    if (!run.config || !run.step_seconds) continue;
    const simulate::StepReport report =
        simulate::simulate(*run.config, steps.catalog, calibration, workspace);
    if (report.status != training::Status::ok) continue;
    add_run(out[run.source], *run.config, steps.catalog,
            report.mfu * to_seconds(report.step) / *run.step_seconds, run.source);
  }
  return out;
}

simulate::Practice practice_without(const Practices& practices, const std::string& publication) {
  simulate::Practice out;
  for (const auto& [name, practice] : practices)
    if (name != publication) add_runs(out, practice);
  return out;
}

int run_practice(std::span<char*> args) {
  const std::string path = step_option(args, "--out", ""),
                    table = step_option(args, "--table", default_step_table());
  StepStudy study = read_step_study(table);
  const Practices practices = practices_of(study.steps, study.calibration);
  const std::string text = config::practice_file_text(
      practice_without(practices, ""),
      fmt::format("the configurations of {} published training steps of {} publications",
                  study.scored().size(), practices.size()),
      derived_on);
  if (path.empty())
    fmt::print("{}", text);
  else
    config::write_whole_file(path, text);
  return 0;
}

}  // namespace echo::calibrate
