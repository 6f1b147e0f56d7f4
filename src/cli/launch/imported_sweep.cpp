#include "cli/launch/imported_sweep.hpp"

#include "base/error.hpp"
#include "base/printable.hpp"
#include "cli/launch/launch_tables.hpp"
#include "config/catalog/fitted/site_file.hpp"
#include "config/launch_settings.hpp"
#include "config/sweep_file/point_reader.hpp"
#include "config/toml/read_file.hpp"
#include "launch_flags/import.hpp"
#include "launch_flags/write.hpp"
#include "sweep/choice/value_text.hpp"

namespace echo::cli {

namespace {

// Axes of the command line, checked as --set of a point is.
std::vector<launch_flags::ChosenAxis> given_axes(const ImportedSweep& request, config::SweepInputs& inputs) {
  std::vector<std::string> choices;
  if (!request.cluster.empty()) choices.push_back("cluster=" + request.cluster);
  if (!request.gpus.empty()) choices.push_back("gpus=" + request.gpus);
  choices.insert(choices.end(), request.sets.begin(), request.sets.end());
  std::vector<launch_flags::ChosenAxis> axes;
  for (const sweep::AxisColumn& column : config::read_choices(choices, inputs))
    axes.push_back({column.axis, sweep::value_text(column.axis, column.values.front(), inputs.catalog), ""});
  return axes;
}

}  // namespace

SweepOfLaunch sweep_of_launch(const ImportedSweep& request) {
  const std::vector<launch_flags::Table> tables = launch_tables(request.preset_paths);
  config::CatalogInputs known = config::read_presets(request.preset_paths);
  config::SweepInputs inputs;
  inputs.catalog = std::move(known.catalog);
  inputs.aliases = std::move(known.aliases);
  const auto text = config::read_whole_file(request.file);
  if (!text)
    throw UserError(
        {Problem{{request.file, 0, 0, 1}, "this file cannot be read", "check the path and its permissions"}});
  Problems problems;
  const config::LaunchFile file =
      config::read_launch_file(request.file, *text, tables, request.framework, problems);
  problems.throw_if_any();
  const launch_flags::ImportRequest given{
      .file = request.file, .given = given_axes(request, inputs), .vocab = request.vocab};
  const launch_flags::Imported imported =
      launch_flags::import_settings(file.settings, *file.table, inputs.catalog, given, problems);
  problems.throw_if_any();
  const training::TrainingConfig config = launch_flags::config_of(imported, inputs.catalog);
  return {launch_flags::sweep_text(imported, config, inputs.catalog, *file.table,
                                   {.file = request.file, .widened = request.widened}),
          launch_flags::ledger_of(imported, *file.table)};
}

}  // namespace echo::cli
