// echo-sweep explain-trace TRACE [SWEEP]: a recorded step, and the simulated one beside it.

#include <charconv>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/terminal/say.hpp"
#include "cli/traces/recorded_step.hpp"
#include "config/sweep_file/axis_values.hpp"
#include "config/sweep_file/point_reader.hpp"
#include "config/sweep_file/sweep_file.hpp"
#include "explain/beside/beside_picture.hpp"
#include "explain/beside/beside_text.hpp"
#include "explain/beside/simulated_activities.hpp"
#include "explain/profile_inputs.hpp"
#include "sweep/choice/one_point.hpp"
#include "sweep/space/design_space.hpp"
#include "text/json.hpp"

namespace echo::cli::commands {

namespace {

struct ExplainTraceOptions {
  std::string trace, sweep, step, output;
  std::string part = "step";
  std::vector<std::string> sets, preset_paths;
  bool json = false;
};

std::int32_t step_number(const std::string& text) {
  if (text.empty()) return -1;
  std::int32_t step = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (problem != std::errc() || end != text.data() + text.size() || step < 0)
    throw UserError("--step: \"" + text + "\" is not the number of a step", "give a whole number from 0");
  return step;
}

// The one point of the sweep, with choices laid over it.
training::TrainingConfig the_point(config::SweepInputs& inputs, const ExplainTraceOptions& options) {
  const auto choices = config::read_choices(options.sets, inputs);
  sweep::SweepSpec spec = inputs.spec;
  {
    const sweep::DesignSpace space(spec, inputs.catalog);
    if (space.size() == 0)
      throw UserError(options.sweep + " has no point",
                      "its rules remove all points; count them by echo-sweep plan " + options.sweep);
    if (space.size() > 1 && choices.empty())
      throw UserError(options.sweep + " has " + std::to_string(space.size()) + " points, not one",
                      "choose with --set, as in --set tp=8,pp=4, or shorten the sweep");
    if (choices.empty()) return space.at(0);
    sweep::OnePoint point = sweep::pinned(spec, space.at(0), inputs.catalog);
    for (const sweep::AxisColumn& choice : choices)
      sweep::choose(point, choice.axis, choice.values.front(), inputs.catalog);
    spec = std::move(point.spec);
  }
  const sweep::DesignSpace space(spec, inputs.catalog);
  if (space.size() != 1)
    throw UserError("the rules of " + options.sweep + " remove the point chosen with --set",
                    "choose otherwise; echo-sweep plan counts what each rule removes");
  return space.at(0);
}

std::string gpu_note(const RecordedStep& recorded, const config::SweepInputs& inputs,
                     const training::TrainingConfig& config) {
  const std::string& simulated = inputs.catalog.gpu(config).name;
  if (recorded.facts.gpu.empty()) return "";
  return "recorded on " + recorded.facts.gpu + ", simulated on " + simulated;
}

int report_recorded(RecordedStep recorded, const ExplainTraceOptions& options) {
  recorded.facts.notes.push_back(
      "no model is named, and a trace does not tell it: name a sweep of one point, and its step is laid "
      "beside");
  const explain::Side side = explain::side_of(std::move(recorded.activities));
  if (options.json) {
    text::Json json;
    json.open_object();
    explain::add_recorded(json, recorded.facts, side);
    json.close();
    say("{}", json.text());
  } else {
    say("{}", explain::recorded_text(recorded.facts, side));
  }
  return 0;
}

int run_explain_trace(const ExplainTraceOptions& options) {
  if (options.sweep.empty() && (!options.sets.empty() || !options.output.empty()))
    throw UserError("--set and -o need a sweep", "name it after the trace: explain-trace TRACE SWEEP.toml");
  RecordedStep recorded = read_recorded_step(options.trace, step_number(options.step));
  if (options.sweep.empty()) return report_recorded(std::move(recorded), options);
  config::SweepInputs inputs = config::read_sweep(options.sweep, options.preset_paths);
  const std::string measured = explain::read_profiles(inputs);
  explain::price_by(measured, inputs);
  const training::TrainingConfig config = the_point(inputs, options);
  if (!inputs.catalog.model(config.model).trace.is_none())
    throw UserError(options.sweep + " replays a trace; explain-trace lays a model's step beside one",
                    "name a sweep with a model");
  explain::SimulatedStretch simulated =
      explain::simulated_stretch(config, inputs.catalog, inputs.calibration,
                                 options.part == "pair" ? explain::Stretch::pair : explain::Stretch::step);
  if (const std::string note = gpu_note(recorded, inputs, config); !note.empty())
    recorded.facts.notes.push_back(note);
  const std::string what = inputs.catalog.model(config.model).name + ", " + simulated.what;
  const explain::Beside beside =
      explain::lay_beside(std::move(recorded.activities), std::move(simulated.activities),
                          recorded.passes_known, simulated.extent);
  if (options.json) {
    text::Json json;
    json.open_object();
    explain::add_recorded(json, recorded.facts, beside.recorded);
    explain::add_beside(json, beside, what);
    json.close();
    say("{}", json.text());
  } else {
    say("{}{}", explain::recorded_text(recorded.facts, beside.recorded), explain::beside_text(beside, what));
  }
  if (!options.output.empty()) {
    const std::int64_t events = explain::draw_beside(beside, options.trace, what, options.output);
    if (!options.json)
      say("\n{} events, file {}; open it in https://ui.perfetto.dev\n", events, options.output);
  }
  return 0;
}

std::function<int(Invocation&)> declare_explain_trace(Options& options) {
  auto chosen = std::make_shared<ExplainTraceOptions>();
  options.argument(chosen->trace, "TRACE", "profile of torch.profiler (.json, .json.gz)");
  options.optional_argument(chosen->sweep, "SWEEP",
                            "sweep of one point, whose step is laid beside the recorded one");
  options.values(chosen->sets, "--set", "tp=8,pp=4: other choices for that point; repeatable");
  options.choice(chosen->part, "--part", {"step", "pair"},
                 "what is recorded: a step, or a forward and a backward that run as one (DualPipe)");
  options.value(chosen->step, "--step",
                "step to take from a trace with several (default: one in the middle)");
  options.value(chosen->output, "-o,--output",
                "picture for Perfetto, recorded above simulated; compressed if the name ends in .gz");
  options.values(chosen->preset_paths, "--preset-path,--include", preset_path_help);
  options.flag(chosen->json, "--json", "print JSON on stdout");
  return [chosen](Invocation&) { return run_explain_trace(*chosen); };
}

}  // namespace

extern const Command explain_trace{
    .name = "explain-trace",
    .summary = "lay a recorded step beside a simulated one, and say where they differ",
    .declare = declare_explain_trace};

}  // namespace echo::cli::commands
