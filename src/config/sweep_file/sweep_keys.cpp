#include "config/sweep_file/sweep_keys.hpp"

#include <array>
#include <cmath>

#include "base/at.hpp"
#include "training/axis.hpp"

namespace echo::config {
namespace {

using sweep::SweepSpec;
using Value = const SettingValue&;

std::vector<std::string> words_of(sweep::Axis axis) {
  const auto words = training::member_of(axis).words;
  return {words.begin(), words.end()};
}
// A setting of the same name as an axis: any word but the first is an axis of that value.
template <sweep::Axis axis>
void become_axis(SweepSpec& s, Value v) {
  const auto word = at(std::lround(v.number));
  if (word > 0)
    s.dimensions.push_back({{{axis, {{.text = std::string(training::member_of(axis).words[word])}}}}});
}

std::string_view budget_help() {
  static const std::string text =
      "packets on links after which a collective goes on as fluids, even if its rates are not steady "
      "(default: " +
      std::to_string(simulate::default_packet_budget) + "); 0: all of it packet by packet";
  return text;
}

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
       "name of the sweep and of its result file (default: the name of the file)",
       [](SweepSpec& s, Value v) { s.name = v.text; }},
      {"", "title", SettingForm::text, "one line: the question that the sweep answers",
       [](SweepSpec& s, Value v) { s.title = v.text; }},
      {"", "seed", SettingForm::integer, "seed of random and sobol searches",
       [](SweepSpec& s, Value v) { s.seed = std::llround(v.number); }},
      {"target", "tokens", SettingForm::tokens,
       "tokens of the whole training, for train_time, gpu_hours, cost, energy and carbon",
       [](SweepSpec& s, Value v) { s.terms.target_tokens = v.number; }},
      {"economics", "gpu_hour", SettingForm::gpu_hours,
       "your price of one GPU-hour: one for all, or by GPU or cluster ({ h100-sxm = \"2.10 USD\" }); \"0 "
       "USD\" "
       "for your own machines. Without it, cost is unknown",
       [](SweepSpec& s, Value v) {
         s.terms.economics.gpu_hour = v.prices;
         s.terms.economics.currency = v.text;
       }},
      {"economics", "electricity", SettingForm::electricity,
       "your price of electricity, added to cost (\"0.12 USD/kWh\"); without it, the price of a GPU-hour is "
       "taken "
       "to include it",
       [](SweepSpec& s, Value v) {
         s.terms.economics.electricity_per_kwh = v.number;
         s.terms.economics.currency = v.text;
       }},
      {"economics", "pue", SettingForm::ratio,
       "energy of the whole site over that of its computers, for electricity and carbon",
       [](SweepSpec& s, Value v) { s.terms.economics.pue = v.number; }},
      {"economics", "carbon", SettingForm::carbon,
       "CO2 of the site's electricity (\"0.4 kg/kWh\"), for carbon",
       [](SweepSpec& s, Value v) { s.terms.economics.carbon_kg_per_kwh = v.number; }},
      {"rank", "min_fit_chance", SettingForm::share,
       "chance to fit the device's memory that a row needs to be ranked (default: 90 %); feasible rows below "
       "it are listed apart",
       [](SweepSpec& s, Value v) { s.min_fit_chance = v.number; }},
      {"search",
       "strategy",
       SettingForm::word,
       "grid: every point; random, sobol: a sample of [search] points; best: the best points, with a proof "
       "that no other point is better",
       [](SweepSpec& s, Value v) { s.search.strategy = static_cast<sweep::Strategy>(std::lround(v.number)); },
       {"grid", "random", "sobol", "best"}},
      {"search",
       "points",
       SettingForm::integer,
       "number of points that random and sobol draw",
       [](SweepSpec& s, Value v) { s.search.points = std::llround(v.number); },
       {},
       1.0},
      {"search",
       "top",
       SettingForm::integer,
       "of best: how many points of each slice (default: 20)",
       [](SweepSpec& s, Value v) { s.search.top = std::llround(v.number); },
       {},
       1.0,
       1e6},
      {"search", "within", SettingForm::share,
       "of best, in place of top: all points whose leading objective is at most this share behind the best "
       "(\"2 %\")",
       [](SweepSpec& s, Value v) { s.search.within = v.number; }},
      {"search", "per", SettingForm::texts,
       "of best: axes; each combination of their values is a slice with best points of its own",
       [](SweepSpec& s, Value v) { s.search.per = v.files; }},
      {"simulate", "collectives", SettingForm::word,
       "nccl-whitebox: the algorithms and costs of NCCL; generic: textbook algorithms without library "
       "overheads. An axis of "
       "this name in [space] takes precedence",
       become_axis<sweep::Axis::collectives>, words_of(sweep::Axis::collectives)},
      {"simulate",
       "slowdown",
       SettingForm::word_or_file,
       "slowdown of overlapping kernels and collectives. auto: the model of the catalog; "
       "off: none; contention: they share SMs and HBM (white box); otherwise the file of a learned model, "
       "made by "
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
       "slowdown of overlapping collectives of different groups. analytical: they share common links, "
       "in closed form; flow: in addition, each is priced on the links as left by the flows of all groups of "
       "its kind; packet: the same, packet by packet under the congestion control of the NICs; off: none",
       [](SweepSpec& s, Value v) { s.contention = static_cast<simulate::Contention>(std::lround(v.number)); },
       {simulate::contention_names.begin(), simulate::contention_names.end()}},
      {"simulate", "congestion_control", SettingForm::word,
       "how NICs pace packets, with contention = \"packet\"; cluster: as the cluster's preset says. An axis "
       "of "
       "this name in [space] takes precedence",
       become_axis<sweep::Axis::congestion_control>, words_of(sweep::Axis::congestion_control)},
      {"simulate",
       "packet_budget",
       SettingForm::integer,
       budget_help(),
       [](SweepSpec& s, Value v) { s.packet_budget = std::llround(v.number); },
       {},
       0.0,
       1e15},
      {"simulate", "packet_cache", SettingForm::text,
       "folder in which answers of the packet simulator are kept for later runs (default: packet-answers "
       "beside the result file); \"off\": none are kept",
       [](SweepSpec& s, Value v) { s.packet_cache = v.text; }},
      {"simulate",
       "setting",
       SettingForm::word,
       "benchmark: on good nodes with nothing beside it, as published benchmarks are; production: as a step "
       "of a long run, with stragglers, input, garbage collection, hot hours and checkpoints "
       "(default: benchmark)",
       [](SweepSpec& s, Value v) { s.setting = static_cast<simulate::Setting>(std::lround(v.number)); },
       {simulate::setting_names.begin(), simulate::setting_names.end()}},
      {"simulate", "out_of_range", SettingForm::not_yet,
       "remove it; the column evidence shows how every row was priced"},
      {"simulate", "skew", SettingForm::skew,
       "GPUs of unequal speed: standard deviation (of the logarithm) of their arithmetic time, and number of "
       "draws for step_time_p50, and for the spread in step_time_p90; default: equal GPUs",
       [](SweepSpec& s, Value v) {
         s.skew.sigma = v.number;
         s.skew.draws = static_cast<std::int32_t>(v.draws);
       }},
      {"simulate", "profiles", SettingForm::files,
       "files of measured kernels, made with echo-sweep profile; other kernels are "
       "modelled",
       [](SweepSpec& s, Value v) { s.profiles = v.files; }},
      {"workload", "trace", SettingForm::path,
       "a recorded step, file or folder, that every point replays instead of a model",
       [](SweepSpec& s, Value v) { s.workload.trace = v.text; }},
      {"workload", "format", SettingForm::text,
       "of the trace, as echo-sweep trace-info names it; found out without it",
       [](SweepSpec& s, Value v) { s.workload.format = v.text; }},
      {"workload", "gpu", SettingForm::text,
       "preset of the GPU on which the durations of the trace were measured (default: as the trace says)",
       [](SweepSpec& s, Value v) { s.workload.gpu = v.text; }},
      {"workload",
       "times",
       SettingForm::word,
       "durations of traced kernels. auto: as measured on the traced GPU, on others priced by shape or "
       "scaled; traced: as measured on every GPU; priced: by shape wherever it is known",
       [](SweepSpec& s, Value v) {
         s.workload.times = static_cast<sweep::TraceTimes>(std::lround(v.number));
       },
       {sweep::trace_times_names.begin(), sweep::trace_times_names.end()}},
      {"workload", "data_groups", SettingForm::texts,
       "names of communicators that grow with dp (default: those of role data and shard)",
       [](SweepSpec& s, Value v) { s.workload.data_groups = v.files; }},
      {"workload", "tokens", SettingForm::tokens,
       "tokens of one step of the traced job, for tokens_per_s (default: unknown)",
       [](SweepSpec& s, Value v) { s.workload.tokens = v.number; }},
      {"run",
       "distribution",
       SettingForm::word,
       "distribution of points to workers",
       [](SweepSpec&, Value) {},
       {"dynamic"}},
      {"run", "budget", SettingForm::duration, "time of one launch; the next launch does the rest",
       [](SweepSpec& s, Value v) { s.run.time_budget = v.number; }},
      {"run", "snapshot_every", SettingForm::duration,
       "interval between complete result files written during the sweep; \"0 s\" = none",
       [](SweepSpec& s, Value v) { s.run.snapshot_every = v.number; }},
      {"run", "max_failures", SettingForm::failures, "tolerated number of failed points",
       [](SweepSpec& s, Value v) { s.run.max_failures = v.text; }},
      {"run",
       "work_budget",
       SettingForm::integer,
       "maximum number of pipeline tasks per point; beyond it the status is over_budget",
       [](SweepSpec& s, Value v) { s.run.work_budget = std::llround(v.number); },
       {},
       1.0},
      {"run", "per_config", SettingForm::not_yet, "use work_budget, which is the same on every machine"},
      {"output", "file", SettingForm::text, "the result file; {name} is the sweep's name",
       [](SweepSpec& s, Value v) { s.output_file = v.text; }},
      {"output", "breakdown", SettingForm::not_yet, "remove it; every row has its breakdown"},
      {"output", "timelines", SettingForm::not_yet, "remove it; echo-sweep show explains a row"},
  };
  return table;
}

constexpr std::array<EntryKey, 9> entries{{
    {"keep", "name", EntryForm::text, true, "name of the rule in plan's waterfall"},
    {"keep", "expr", EntryForm::expression, true, "condition for keeping a point"},
    {"keep", "why", EntryForm::text, false, "reason, for readers of the file"},
    {"limit", "name", EntryForm::text, false, "name of the limit (default: its metric)"},
    {"limit", "metric", EntryForm::metric, true, "metric that is bounded after the simulation"},
    {"limit", "max", EntryForm::bound, false, "upper bound, in units of the metric"},
    {"limit", "min", EntryForm::bound, false, "lower bound; give either max or min"},
    {"objective", "metric", EntryForm::metric, true,
     "metric that ranks the rows; the first objective comes first"},
    {"objective", "goal", EntryForm::goal, false, "min or max (default: the better direction of the metric)"},
}};

constexpr std::array<std::string_view, 8> included{"gpus",    "clusters",     "models",  "frameworks",
                                                   "recipes", "memory_tiers", "kernels", "networks"};

}  // namespace

std::span<const Setting> settings() { return setting_table(); }
std::span<const EntryKey> entry_keys() { return entries; }
std::span<const std::string_view> preset_sections() { return std::span(included).first(6); }
std::span<const std::string_view> included_sections() { return included; }

}  // namespace echo::config
