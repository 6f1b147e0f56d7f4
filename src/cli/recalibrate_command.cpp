#include "cli/recalibrate_command.hpp"

#include "cli/terminal/say.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/measured/measured_steps.hpp"
#include "config/toml/read_file.hpp"
#include "explain/slowdown_input.hpp"
#include "validation/recalibrate.hpp"

namespace echo::cli {

namespace {

constexpr int exit_no_better = 6;  // distinct from the exit codes of a sweep

void check(const RecalibrateArguments& a) {
  if (a.tables.size() != 1)
    throw UserError("--recalibrate fits one table of training steps, not " + std::to_string(a.tables.size()),
                    "put the rows of one site into one table");
  if (!a.sites.empty())
    throw UserError("--recalibrate starts from the shipped constants, not from those of --site",
                    "remove --site; the new file replaces the old one");
}

}  // namespace

int recalibrate_and_tell(const RecalibrateArguments& a) {
  check(a);
  const std::string& file = a.tables.front();
  const CsvTable table = CsvTable::read_file(file);
  if (!config::is_step_table(table))
    throw UserError({{table.header_place(), "this is not a table of training steps",
                      "--recalibrate needs step_time_s among its columns; `echo-sweep calibrate nccl` fits "
                      "networks to measured collectives"}});
  config::CatalogInputs presets = config::read_presets(a.preset_paths);
  const auto learned = explain::choose_slowdown(a.slowdown, presets.calibration);
  const std::string digest = config::fingerprint(config::read_whole_file(file).value_or(""));
  const validation::Recalibration done =
      validation::recalibrate(table, {file, digest, a.site_file, a.preset_paths}, presets);
  say("{}", a.json ? validation::recalibration_json(done) : validation::recalibration_text(done));
  if (!a.csv.empty()) config::write_whole_file(a.csv, validation::recalibration_csv(done));
  const std::string why_not = validation::why_no_better(done);
  if (!why_not.empty() && !a.force) {
    remark("{} is not written: {}\n  pass --force to write it anyway\n", a.site_file, why_not);
    return exit_no_better;
  }
  config::write_whole_file(a.site_file, done.file_text);
  if (!a.json)
    say("{} written: include = [\"{}\"] in a sweep, --site {} here\n", a.site_file, a.site_file, a.site_file);
  return 0;
}

}  // namespace echo::cli
