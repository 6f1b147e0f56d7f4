// echo-sweep trace FILE ID -o OUT: writes the step of one row as a trace for ui.perfetto.dev.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <span>
#include <sstream>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/run/packet_cache.hpp"
#include "cli/terminal/say.hpp"
#include "explain/chosen_row.hpp"
#include "explain/explain.hpp"
#include "explain/perfetto_replay.hpp"
#include "explain/perfetto_step.hpp"
#include "query/text/layout_text.hpp"
#include "query/text/result_text.hpp"
#include "results/read_rows.hpp"
#include "simulate/simulate.hpp"

namespace echo::cli::commands {

namespace {

struct TraceOptions {
  std::string file, id, output, stages, ranks;
  std::int64_t most_events = 200'000;
  bool tasks_only = false;
  std::vector<std::string> preset_paths;
};

// Whole numbers of a list with commas, each from 0 to below `count`.
std::vector<std::int32_t> numbers_in(const std::string& list, const char* what, std::int32_t count) {
  std::istringstream in(list);
  std::vector<std::int32_t> found;
  for (std::string word; std::getline(in, word, ',');) {
    std::int32_t number = -1;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (problem != std::errc() || end != word.data() + word.size() || number < 0 || number >= count)
      throw UserError(fmt::format("\"{}\" is not a {} of this row", word, what),
                      fmt::format("give {}s from 0 to {}, as in 0,1", what, count - 1));
    if (std::ranges::count(found, number) == 0) found.push_back(number);
  }
  return found;
}

void say_where(const std::string& output) {
  say("{} bytes\nfile {}\n", std::filesystem::file_size(output), output);
}

// What `trace` draws, and where.
struct Drawing {
  const explain::ConfigAgain& again;
  const TraceOptions& options;
  std::string title, output, status;
};

void refuse_without_step(const Drawing& drawing) {
  throw UserError("row " + drawing.options.id + " has no step: its status is " + drawing.status,
                  "choose a row whose status is ok");
}

void draw_step(const Drawing& drawing) {
  const auto& [again, options, title, output, status] = drawing;
  const training::TrainingConfig& config = *again.config;
  const PacketCache packets(options.file, again.packet_cache, again.known.catalog, again.known.calibration);
  simulate::Workspace ws;
  ws.memo.packet_memory = packets.memory();
  const auto step = simulate::unfold_step(config, again.known.catalog, again.known.calibration, ws);
  if (step.slices.empty()) refuse_without_step(drawing);
  const explain::Explanation explanation =
      explain::explain(config, again.known.catalog, again.known.calibration, packets.memory());
  const explain::TraceRequest request{
      .stages = numbers_in(options.stages, "stage", config.degrees.pipeline),
      .ranks = numbers_in(options.ranks, "gpu rank", training::gpus_of(config.degrees)),
      .has_ops = !options.tasks_only,
      .most_events = options.most_events};
  const explain::TraceSize size =
      explain::trace_step(step, ws.step, config, explanation.memory, title, request, output);
  const std::int32_t microbatches = training::microbatches_of(config);
  std::string drawn = fmt::format("ops of {} of {} microbatches", size.microbatches_with_ops, microbatches);
  if (size.microbatches_with_tasks < microbatches)
    drawn = fmt::format("{} of {} microbatches drawn, {} of them with their ops",
                        size.microbatches_with_tasks, microbatches, size.microbatches_with_ops);
  say("{} events, {}, ", size.events, drawn);
  say_where(output);
  if (size.microbatches_with_ops < microbatches && !options.tasks_only)
    say("for more of them: --max-events, or fewer --stages or --ranks\n");
}

void draw_replay(const Drawing& drawing) {
  const auto& [again, options, title, output, status] = drawing;
  if (!options.stages.empty())
    throw UserError("a replayed step has gpu ranks, no stages", "choose them by --ranks");
  simulate::Workspace ws;
  const simulate::StepReport report =
      simulate::simulate(*again.config, again.known.catalog, again.known.calibration, ws);
  if (report.status != training::Status::ok) refuse_without_step(drawing);
  const explain::ReplayTraceRequest request{
      .ranks = numbers_in(options.ranks, "gpu rank", ws.trace->trace->world),
      .most_events = options.most_events};
  const explain::ReplayTraceSize size = explain::trace_replay(*ws.trace, title, request, output);
  say("{} events, {} of {} ops, ", size.events, size.drawn, size.ops);
  say_where(output);
  if (size.drawn < size.ops) say("the shortest ops are left out; for more: --max-events, or fewer --ranks\n");
}

int run_trace(const TraceOptions& options) {
  const results::ResultFile file(options.file);
  const std::int64_t row = explain::find_row(file, options.id);
  const results::Table table = file.pick(std::span(&row, 1));
  const explain::ConfigAgain again = explain::config_again(file, table, options.preset_paths);
  if (!again.config)
    throw UserError("row " + options.id + " cannot be simulated again: " + again.problem,
                    "see echo-sweep show");
  const Drawing drawing{
      again, options, table.text("model", 0) + " " + query::layout_of(table, 0),
      options.output.empty() ? query::config_key(table, 0).substr(0, 8) + ".json.gz" : options.output,
      table.text("status", 0)};
  const bool is_replay = !again.known.catalog.model(again.config->model).trace.is_none();
  (is_replay ? draw_replay : draw_step)(drawing);
  say("open it in https://ui.perfetto.dev\n");
  return 0;
}

std::function<int(Invocation&)> declare_trace(Options& options) {
  auto chosen = std::make_shared<TraceOptions>();
  options.argument(chosen->file, "FILE", "result file");
  options.argument(chosen->id, "ID", "config_id or its first digits, or a row number");
  options.value(chosen->output, "-o,--output",
                "trace to write, compressed if the name ends in .gz (default: ID.json.gz)");
  options.value(chosen->stages, "--stages", "pipeline stages to draw, as in 0,7 (default: all)");
  options.value(chosen->ranks, "--ranks",
                "gpu ranks to draw, one process for each, as in 0,8 (default: the stages; of a replayed step "
                "the ranks that its trace holds)");
  options.flag(chosen->tasks_only, "--tasks-only", "draw passes of microbatches without their ops");
  options.value(
      chosen->most_events, "--max-events",
      "maximum number of events; beyond it, ops of microbatches are left out, then their tasks; of a "
      "replayed step the shortest ops");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  return [chosen](Invocation&) { return run_trace(*chosen); };
}

}  // namespace

extern const Command trace{.name = "trace",
                           .summary = "write the step of one row as a trace for Perfetto",
                           .declare = declare_trace};

}  // namespace echo::cli::commands
