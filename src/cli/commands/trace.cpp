// echo-sweep trace FILE ID -o OUT: writes the step of one row as a trace for ui.perfetto.dev.

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <span>
#include <sstream>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "explain/chosen_row.hpp"
#include "explain/explain.hpp"
#include "explain/perfetto_step.hpp"
#include "query/text/result_text.hpp"
#include "results/read_rows.hpp"

namespace echo::cli::commands {

namespace {

struct TraceOptions {
  std::string file, id, output, stages;
  std::int64_t most_events = 200'000;
  std::vector<std::string> preset_paths;
};

std::vector<std::int32_t> stages_in(const std::string& list, std::int32_t stages) {
  std::istringstream in(list);
  std::vector<std::int32_t> found;
  for (std::string word; std::getline(in, word, ',');) {
    std::int32_t stage = -1;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), stage);
    if (problem != std::errc() || end != word.data() + word.size() || stage < 0 || stage >= stages)
      throw UserError("\"" + word + "\" is not a stage of this row",
                      "give stages from 0 to " + std::to_string(stages - 1) + ", as in 0,1");
    found.push_back(stage);
  }
  return found;
}

int run_trace(const TraceOptions& options) {
  const results::ResultFile file(options.file);
  const std::int64_t row = explain::find_row(file, options.id);
  const results::Table table = file.pick(std::span(&row, 1));
  const explain::ConfigAgain again = explain::config_again(file, table, options.preset_paths);
  if (!again.config)
    throw UserError("row " + options.id + " cannot be simulated again: " + again.problem,
                    "see echo-sweep show");
  if (!again.known.catalog.model(again.config->model).trace.is_none())
    throw UserError("row " + options.id + " replays a trace; only steps of models can be drawn",
                    "see echo-sweep show");
  simulate::Workspace ws;
  const auto step = simulate::unfold_step(*again.config, again.known.catalog, again.known.calibration, ws);
  if (step.slices.empty())
    throw UserError("row " + options.id + " has no step: its status is " + table.text("status", 0),
                    "choose a row whose status is ok");
  const explain::Explanation explanation =
      explain::explain(*again.config, again.known.catalog, again.known.calibration);
  const std::string output =
      options.output.empty() ? query::config_key(table, 0).substr(0, 8) + ".json.gz" : options.output;
  const explain::TraceRequest request{.stages = stages_in(options.stages, again.config->degrees.pipeline),
                                      .most_events = options.most_events};
  const std::string title = table.text("model", 0) + " " + query::layout_of(table, 0);
  const explain::TraceSize size =
      explain::trace_step(step, ws.step, *again.config, explanation.memory, title, request, output);
  const std::int32_t microbatches = training::microbatches_of(*again.config);
  std::string drawn = fmt::format("ops of {} of {} microbatches", size.microbatches_with_ops, microbatches);
  if (size.microbatches_with_tasks < microbatches)
    drawn = fmt::format("{} of {} microbatches drawn, {} of them with their ops",
                        size.microbatches_with_tasks, microbatches, size.microbatches_with_ops);
  say("{} events, {}, {} bytes\nfile {}\n", size.events, drawn, std::filesystem::file_size(output), output);
  if (size.microbatches_with_ops < microbatches) say("for more of them: --max-events, or fewer --stages\n");
  say("open it in https://ui.perfetto.dev\n");
  return 0;
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<TraceOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.argument(chosen->id, "ID", "config_id or its first digits, or a row number");
  options.value(chosen->output, "-o,--output",
                "trace to write, compressed if the name ends in .gz (default: ID.json.gz)");
  options.value(chosen->stages, "--stages", "pipeline stages to draw, as in 0,7 (default: all)");
  options.value(chosen->most_events, "--max-events",
                "maximum number of events; beyond it, ops of microbatches are left out, then their tasks");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  return [chosen](Invocation&) { return run_trace(*chosen); };
}

}  // namespace

extern const Command trace{
    .name = "trace", .summary = "write the step of one row as a trace for Perfetto", .declare = declare};

}  // namespace echo::cli::commands
