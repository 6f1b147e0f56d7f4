#include "config/sweep_file/sweep_keys.hpp"

#include <array>
#include <cmath>

namespace echo::config {
namespace {

using sweep::SweepSpec;
using Value = const SettingValue&;

const std::vector<Setting>& setting_table() {
  static const std::vector<Setting> table{
      {"",
       "schema",
       SettingForm::integer,
       "version of this language",
       [](SweepSpec& s, Value v) { s.schema = std::llround(v.number); },
       {},
       1.0,
       1.0},
      {"", "name", SettingForm::text,
       "name of the sweep and of its result file; the file's own name without it",
       [](SweepSpec& s, Value v) { s.name = v.text; }},
      {"", "title", SettingForm::text, "one line about the question it answers",
       [](SweepSpec& s, Value v) { s.title = v.text; }},
      {"", "seed", SettingForm::integer, "of random and sobol searches",
       [](SweepSpec& s, Value v) { s.seed = std::llround(v.number); }},
      {"target", "tokens", SettingForm::tokens, "tokens of the whole training, for train_time",
       [](SweepSpec& s, Value v) { s.target_tokens = v.number; }},
      {"search",
       "strategy",
       SettingForm::word,
       "grid: every point; random, sobol: [search] points of them",
       [](SweepSpec& s, Value v) { s.search.strategy = static_cast<sweep::Strategy>(std::lround(v.number)); },
       {"grid", "random", "sobol"}},
      {"search",
       "points",
       SettingForm::integer,
       "how many points random and sobol draw",
       [](SweepSpec& s, Value v) { s.search.points = std::llround(v.number); },
       {},
       1.0},
      {"simulate",
       "collectives",
       SettingForm::word,
       "nccl-whitebox: as NCCL chooses and runs them; generic: textbook algorithms on bare links. An axis of "
       "this name in [space] goes before",
       [](SweepSpec& s, Value v) {
         if (v.number > 0.0)
           s.dimensions.push_back(
               {{{sweep::Axis::collectives, {{.text = std::string(ops::collective_model_names.back())}}}}});
       },
       {ops::collective_model_names.begin(), ops::collective_model_names.end()}},
      {"simulate",
       "slowdown",
       SettingForm::word_or_file,
       "what kernels and collectives that overlap do to each other: auto: as the model of the catalog says; "
       "off: nothing; contention: they share SMs and HBM (white box); else a learned model, a file made by "
       "echo-sweep slowdown train",
       [](SweepSpec& s, Value v) {
         s.slowdown = static_cast<sweep::SlowdownModel>(std::lround(v.number));
         s.slowdown_file = v.text;
       },
       // all but "file", which is a name of the user's
       {sweep::slowdown_model_names.begin(), sweep::slowdown_model_names.end() - 1}},
      {"simulate",
       "contention",
       SettingForm::word,
       "what collectives of different groups do to each other while they overlap: analytical: they share the "
       "links they both need, in closed form; flow: likewise, and each is priced on the links that flows of "
       "all groups of its kind leave it; off: nothing",
       [](SweepSpec& s, Value v) { s.contention = static_cast<simulate::Contention>(std::lround(v.number)); },
       {simulate::contention_names.begin(), simulate::contention_names.end()}},
      {"simulate", "out_of_range", SettingForm::not_yet,
       "remove it; every row says how it was priced (evidence)"},
      {"simulate", "skew", SettingForm::skew,
       "GPUs of unequal speed: standard deviation (of the logarithm) of their arithmetic time, and how many "
       "draws give step_time_p50 and step_time_p90; all alike without it",
       [](SweepSpec& s, Value v) {
         s.skew.sigma = v.number;
         s.skew.draws = static_cast<std::int32_t>(v.draws);
       }},
      {"simulate", "profiles", SettingForm::files,
       "measured kernels to price by, made with echo-sweep profile; kernels that they do not time are "
       "modelled",
       [](SweepSpec& s, Value v) { s.profiles = v.files; }},
      {"workload", "trace", SettingForm::path,
       "a step as some tool recorded it, file or folder: every point replays it in the place of a model",
       [](SweepSpec& s, Value v) { s.workload.trace = v.text; }},
      {"workload", "format", SettingForm::text,
       "of the trace, as echo-sweep trace-info names it; found out without it",
       [](SweepSpec& s, Value v) { s.workload.format = v.text; }},
      {"workload",
       "times",
       SettingForm::word,
       "how long traced kernels take: auto: as measured on the GPU they were traced on, by their shape or "
       "scaled on others; traced: as measured, whatever the GPU; priced: by their shape wherever it is known",
       [](SweepSpec& s, Value v) {
         s.workload.times = static_cast<sweep::TraceTimes>(std::lround(v.number));
       },
       {sweep::trace_times_names.begin(), sweep::trace_times_names.end()}},
      {"workload", "data_groups", SettingForm::texts,
       "communicators that grow with dp, by name; those of role data and shard without it",
       [](SweepSpec& s, Value v) { s.workload.data_groups = v.files; }},
      {"workload", "tokens", SettingForm::tokens,
       "tokens of one step of the job as traced, for tokens_per_s; missing without it",
       [](SweepSpec& s, Value v) { s.workload.tokens = v.number; }},
      {"run",
       "distribution",
       SettingForm::word,
       "how points reach workers",
       [](SweepSpec&, Value) {},
       {"dynamic"}},
      {"run", "budget", SettingForm::duration, "time of one launch; what is left is done by the next",
       [](SweepSpec& s, Value v) { s.run.time_budget = v.number; }},
      {"run", "snapshot_every", SettingForm::duration,
       "complete result files while the sweep runs; \"0 s\" = none",
       [](SweepSpec& s, Value v) { s.run.snapshot_every = v.number; }},
      {"run", "max_failures", SettingForm::failures, "failed points that are tolerated",
       [](SweepSpec& s, Value v) { s.run.max_failures = v.text; }},
      {"run",
       "work_budget",
       SettingForm::integer,
       "pipeline tasks one point may take; above, its row says over_budget",
       [](SweepSpec& s, Value v) { s.run.work_budget = std::llround(v.number); },
       {},
       1.0},
      {"run", "per_config", SettingForm::not_yet, "use work_budget, which is the same on every machine"},
      {"output", "file", SettingForm::text, "the result file; {name} is the sweep's name",
       [](SweepSpec& s, Value v) { s.output_file = v.text; }},
      {"output", "breakdown", SettingForm::not_yet, "remove it; every row has its breakdown"},
      {"output", "timelines", SettingForm::not_yet, "remove it; echo-sweep show works out one row"},
  };
  return table;
}

constexpr std::array<EntryKey, 9> entries{{
    {"keep", "name", EntryForm::text, true, "the rule's name in plan's waterfall"},
    {"keep", "expr", EntryForm::expression, true, "true where the point stays"},
    {"keep", "why", EntryForm::text, false, "for the reader"},
    {"limit", "name", EntryForm::text, false, "the limit's name; its metric without it"},
    {"limit", "metric", EntryForm::metric, true, "what is bounded after the simulation"},
    {"limit", "max", EntryForm::bound, false, "most that is allowed, in the units of the metric"},
    {"limit", "min", EntryForm::bound, false, "least that is allowed; one of max and min"},
    {"objective", "metric", EntryForm::metric, true, "what ranks the rows; the first objective leads"},
    {"objective", "goal", EntryForm::goal, false, "min or max; what is good for the metric without it"},
}};

constexpr std::array<LaterSection, 2> later{{
    {"economics", "remove it; costs are not computed yet"},
    {"reliability", "remove it; failures of machines are not modelled yet"},
}};

constexpr std::array<std::string_view, 6> included{"gpus",       "clusters", "models",
                                                   "frameworks", "kernels",  "networks"};

}  // namespace

std::span<const Setting> settings() { return setting_table(); }
std::span<const EntryKey> entry_keys() { return entries; }
std::span<const LaterSection> later_sections() { return later; }
std::span<const std::string_view> preset_sections() { return std::span(included).first(4); }
std::span<const std::string_view> included_sections() { return included; }

}  // namespace echo::config
