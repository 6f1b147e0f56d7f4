// echo-sweep launch FILE ID --for FRAMEWORK: the flags or settings that run a row, with comments on what they
// cannot say.
#include <fmt/format.h>

#include <memory>
#include <span>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/launch/launch_tables.hpp"
#include "cli/terminal/say.hpp"
#include "config/toml/read_file.hpp"
#include "explain/chosen_row.hpp"
#include "launch_flags/launch.hpp"

namespace echo::cli::commands {

namespace {

struct LaunchOptions {
  std::string file, id, framework, output;
  std::vector<std::string> preset_paths;
};

int run_launch(const LaunchOptions& options) {
  const auto tables = launch_tables(options.preset_paths);
  const launch_flags::Table* named =
      options.framework.empty() ? nullptr : &table_named(tables, options.framework);
  const results::ResultFile file(options.file);
  const std::int64_t row = explain::find_row(file, options.id);
  const results::Table picked = file.pick(std::span(&row, 1));
  explain::ConfigAgain again = explain::config_again(file, picked, options.preset_paths);
  if (!again.config) throw UserError("the row cannot be made again: " + again.problem, "run the sweep again");
  simulate::Catalog& catalog = again.known.catalog;
  if (!catalog.model(again.config->model).trace.is_none())
    throw UserError("a traced step has no launch file: its layout is that of the trace",
                    "name a row of a model");
  const launch_flags::Table& table =
      named != nullptr ? *named : table_of_framework(tables, catalog.framework(*again.config).name);
  const launch_flags::Launch launch = launch_flags::launch_of(*again.config, table, catalog);
  const std::string text = launch_flags::launch_file(
      launch, table, fmt::format("row {:016x} of {}", picked.config_id(0), printable(options.file)));
  if (options.output.empty())
    say("{}", text);
  else
    config::write_whole_file(options.output, text);
  return 0;
}

std::function<int(Invocation&)> declare_launch(Options& options) {
  auto chosen = std::make_shared<LaunchOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.argument(chosen->id, "ID", "the beginning of a config_id, or a row number");
  options.value(
      chosen->framework, "--for",
      "megatron-lm, megatron-bridge, nemo, nemo-1, torchtitan, deepspeed or nanotron (default: the row's)");
  options.value(chosen->output, "-o,--output", "file to write (default: standard output)");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  return [chosen](Invocation&) { return run_launch(*chosen); };
}

}  // namespace

extern const Command launch{
    .name = "launch", .summary = "print the launch flags or settings that run a row", .declare = declare_launch};

}  // namespace echo::cli::commands
