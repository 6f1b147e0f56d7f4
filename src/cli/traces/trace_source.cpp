// Rows and points are simulated again, and the step that the generator makes of them is the trace. It can
// have any rank of the job; a trace file only has the ranks it holds.
#include "cli/traces/trace_source.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <span>
#include <sstream>

#include "base/at.hpp"
#include "base/error.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "explain/chosen_row.hpp"
#include "explain/profile_inputs.hpp"
#include "results/read_rows.hpp"
#include "simulate/simulate.hpp"
#include "simulate/unfold/recorded_step.hpp"
#include "sweep/space/design_space.hpp"
#include "trace_io/format.hpp"

namespace echo::cli {

namespace {

std::int32_t number_in(const std::string& text, const std::string& option) {
  std::int32_t number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0)
    throw UserError(option + " is not a number: \"" + text + "\"", "give non-negative integers");
  return number;
}

// "0,8", or all `world` ranks for "all".
std::vector<std::int32_t> ranks_in(const std::string& list, std::int32_t world) {
  std::vector<std::int32_t> ranks;
  if (list == "all") {
    ranks.resize(at(world));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }
  std::istringstream in(list);
  for (std::string word; std::getline(in, word, ',');) ranks.push_back(number_in(word, "--ranks"));
  return ranks;
}

// What the generator's step is made of, for as long as `use` runs.
using UseStep = std::function<void(const simulate::StepTimeline&, const training::TrainingConfig&,
                                   const simulate::Catalog&, const simulate::SimulatedStep&,
                                   const simulate::StepTraceRequest&)>;

void use_generated(const training::TrainingConfig& config, const simulate::Catalog& catalog,
                   const simulate::Calibration& calibration, const TraceSource& source, const UseStep& use) {
  if (!catalog.model(config.model).trace.is_none())
    throw UserError(source.file + ": " + catalog.model(config.model).name + " is a replayed trace",
                    "give the trace itself, named in [workload]");
  simulate::Workspace ws;
  const simulate::StepTimeline step = simulate::unfold_step(config, catalog, calibration, ws);
  if (step.report.status != training::Status::ok) {
    const Refusal refusal = simulate::why_unsupported(config, catalog);
    throw UserError(source.file + ": the config has no step: " +
                        (refusal ? refusal.text : "it does not fit into memory, or is too large to simulate"),
                    "choose a config whose status is ok");
  }
  simulate::StepTraceRequest request;
  const std::string wanted = source.ranks.empty() && source.every_rank ? "all" : source.ranks;
  if (!wanted.empty()) request.ranks = ranks_in(wanted, training::gpus_of(config.degrees));
  use(step, config, catalog, ws.step, request);
}

void use_row(const TraceSource& source, const UseStep& use) {
  if (source.id.empty())
    throw UserError(source.file + " has rows, not one trace",
                    "add --id with a config_id or a row number (echo-sweep top " + source.file + ")");
  const results::ResultFile file(source.file);
  const std::int64_t row = explain::find_row(file, source.id);
  const results::Table table = file.pick(std::span(&row, 1));
  const explain::ConfigAgain again = explain::config_again(file, table, source.preset_paths);
  if (!again.config)
    throw UserError("row " + source.id + " cannot be simulated again: " + again.problem,
                    "see echo-sweep show");
  use_generated(*again.config, again.known.catalog, again.known.calibration, source, use);
}

void use_point(const TraceSource& source, const UseStep& use) {
  config::SweepInputs inputs = config::read_sweep(source.file, source.preset_paths, source.sets);
  const std::string measured = explain::read_profiles(inputs);
  explain::price_by(measured, inputs);
  const sweep::DesignSpace space(inputs.spec, inputs.catalog);
  if (space.size() != 1 && source.point.empty())
    throw UserError(source.file + " has " + std::to_string(space.size()) + " points, not one",
                    "add --point with the number of one (echo-sweep plan --list 10 lists them)");
  const std::int32_t point = source.point.empty() ? 0 : number_in(source.point, "--point");
  if (point >= space.size())
    throw UserError(source.file + " has no point " + source.point,
                    "give a number below " + std::to_string(space.size()));
  use_generated(space.at(point), inputs.catalog, inputs.calibration, source, use);
}

void use_step(const TraceSource& source, const UseStep& use) {
  source.file.ends_with(".h5") ? use_row(source, use) : use_point(source, use);
}

void keep_ranks(const std::string& list, trace::Trace& trace) {
  std::vector<std::int32_t> wanted = ranks_in(list, trace.world);
  std::string traced;
  for (const trace::RankTrace& rank : trace.ranks)
    traced += (traced.empty() ? "" : ",") + std::to_string(rank.rank);
  for (const std::int32_t rank : wanted)
    if (std::ranges::none_of(trace.ranks, [&](const trace::RankTrace& one) { return one.rank == rank; }))
      throw UserError("rank " + std::to_string(rank) + " is not traced", "traced are " + traced);
  std::erase_if(trace.ranks, [&](const trace::RankTrace& one) {
    return std::ranges::find(wanted, one.rank) == wanted.end();
  });
}

}  // namespace

void declare_source(Options& options, TraceSource& source) {
  options.argument(source.file, "FILE",
                   "a trace of any format, a result file (--id), or a sweep of one point (or --point)");
  options.value(source.format, "--from", "format of the trace (default: detected from its content)");
  options.value(source.beside, "--beside", "second file, needed by some formats");
  options.value(source.step, "--step", "step to take from a trace with several (default: one in the middle)");
  options.value(source.id, "--id", "result files: config_id or its first digits, or a row number");
  options.value(source.point, "--point", "sweeps: number of a point");
  options.value(
      source.ranks, "--ranks",
      "GPU ranks to take, as in 0,8, or all (default: one of each kind, or all if the format needs them)");
  options.values(source.sets, "--set", "KEY=VALUE replaces a value of the sweep; repeatable");
  options.values(source.preset_paths, "--preset-path,--include", preset_path_help);
}

bool is_generated(const TraceSource& source) {
  return source.format.empty() && (source.file.ends_with(".h5") || source.file.ends_with(".toml"));
}

void stream_generated(const TraceSource& source,
                      const std::function<void(const trace::Trace&, const trace_io::NextRank&)>& use) {
  use_step(source, [&](const auto&... step) {
    simulate::StepRecorder recorder(step...);
    trace::RankTrace rank;
    std::vector<TimeCategory> parts;
    for (const std::int32_t number : recorder.ranks()) recorder.record(number, rank, parts);
    recorder.add_notes();
    const trace::Trace tables = recorder.tables();
    std::size_t next = 0;
    use(tables, [&]() -> const trace::RankTrace* {
      if (next == recorder.ranks().size()) return nullptr;
      recorder.record(recorder.ranks()[next++], rank, parts);
      return &rank;
    });
  });
}

trace::Trace find_trace(const TraceSource& source) {
  if (is_generated(source)) {
    trace::Trace trace;
    use_step(source, [&](const auto&... step) { trace = simulate::generate_trace(step...).trace; });
    return trace;
  }
  if (!source.id.empty() || !source.point.empty())
    throw UserError(source.file + " is neither a result file nor a sweep",
                    "remove --id and --point, or name a .h5 or .toml file");
  trace_io::Source read{.path = source.file, .beside = source.beside};
  if (!source.step.empty()) read.step = number_in(source.step, "--step");
  trace::Trace trace = trace_io::read_trace(read, source.format);
  if (!source.ranks.empty()) keep_ranks(source.ranks, trace);
  return trace;
}

}  // namespace echo::cli
