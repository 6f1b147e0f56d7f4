// A sweep as written in its file: only names and numbers, so that it can be broadcast. Names are unresolved.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/terms.hpp"
#include "simulate/contention.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/setting.hpp"
#include "simulate/skew.hpp"
#include "sweep/axis.hpp"

namespace echo::sweep {

// A name (presets, words, versions) or a number (counts, flags, layer tables by index; -1 = even split).
struct AxisValue {
  std::int64_t number = 0;
  std::string text;
  friend bool operator==(const AxisValue&, const AxisValue&) = default;
};

struct AxisColumn {
  Axis axis{};
  std::vector<AxisValue> values;
  friend bool operator==(const AxisColumn&, const AxisColumn&) = default;
};

// One crossed dimension: an axis, or several of equal length that are zipped.
struct Dimension {
  std::vector<AxisColumn> columns;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(columns.front().values.size()); }
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

enum class RuleKind : std::int8_t { derive, keep };
struct Rule {
  RuleKind kind{};
  std::string name;  // derive: the name it defines; keep: the rule's own name
  std::string expression;
  std::string why;
  friend bool operator==(const Rule&, const Rule&) = default;
};

// One [[space.group]]: the axes of [space], with its own added or put in their place.
struct SubSpace {
  std::string name;
  std::vector<Dimension> dimensions;
  friend bool operator==(const SubSpace&, const SubSpace&) = default;
};

// A bound on a metric, tested after simulation; the row stays, as infeasible. Exactly one of `max` and `min`
// is set: an expression in the units of the metric ("0.92 * gpu.memory", "30 d").
struct Limit {
  std::string name, metric, max, min;
  friend bool operator==(const Limit&, const Limit&) = default;
};

enum class Goal : std::int8_t { min, max };
struct Objective {
  std::string metric;
  Goal goal{};
  friend bool operator==(const Objective&, const Objective&) = default;
};

enum class Strategy : std::int8_t { grid, random, sobol, best };
struct Search {
  Strategy strategy = Strategy::grid;
  std::int64_t points = 0;  // of random and sobol
  // For best: how many points of each slice, how far behind the best (a share; 0: not asked for, then `top`
  // counts), and the axes whose values make slices.
  std::int64_t top = 20;
  double within = 0.0;
  std::vector<std::string> per;
  friend bool operator==(const Search&, const Search&) = default;
};

// Limits on the cost of a run; they do not change a row, except `work_budget`.
struct RunSettings {
  std::int64_t work_budget = 0;  // pipeline tasks of one point; 0 = the program's own bound
  double time_budget = 0.0;      // seconds of one launch; 0 = none
  double snapshot_every = -1.0;  // seconds; 0 = never, -1 = the program's own
  std::string max_failures;      // "10", "2 %", "" = none tolerated
  friend bool operator==(const RunSettings&, const RunSettings&) = default;
};

// Which model says how much overlapped kernels and collectives slow each other.
enum class SlowdownModel : std::int8_t {
  automatic,   // the catalog's
  off,         // none: overlap costs nothing
  contention,  // the white box, whatever the catalog ships
  file         // a learned one of the user's; what it holds is part of the calibration
};
inline constexpr std::array<std::string_view, 4> slowdown_model_names{"auto", "off", "contention", "file"};

// Where the duration of a traced kernel comes from.
enum class TraceTimes : std::int8_t {
  automatic,  // on another GPU than the traced one: priced by shape where it is known, else scaled
  traced,     // as traced, whatever the GPU
  priced      // by shape where it is known, whatever the trace says
};
inline constexpr std::array<std::string_view, 3> trace_times_names{"auto", "traced", "priced"};

// [workload]: the points replay a step as it was traced, instead of one that is generated from a model.
struct TraceWorkload {
  std::string trace;   // file or folder; empty: there is none
  std::string format;  // of the trace; empty: found out
  std::string gpu;     // that its durations were measured on; empty: as the trace says
  TraceTimes times = TraceTimes::automatic;
  std::vector<std::string> data_groups;  // groups that grow with dp, by name; empty: those the trace says
  double tokens = 0.0;                   // of one step of the job as traced; 0 = not given
  friend bool operator==(const TraceWorkload&, const TraceWorkload&) = default;
};

struct SweepSpec {
  std::string name, title, output_file;
  std::int64_t schema = 1, seed = 0;
  std::vector<Dimension> dimensions;  // file order; the first changes slowest. Unused where there are groups
  std::vector<SubSpace> groups;       // the space is their union, in file order
  std::vector<Rule> rules;            // file order
  std::vector<Limit> limits;          // file order; the first one broken gives the reason
  std::vector<Objective> objectives;  // the first ranks
  Search search;
  RunSettings run;
  campaign::Terms terms;                                // [target], [economics]
  double min_fit_chance = simulate::ranked_fit_chance;  // [rank] min_fit_chance: rows below it are not ranked
  bool batch_in_tokens = false;                         // global_batch counts tokens, not sequences
  simulate::Skew skew;                                  // [simulate] skew; its seed is the sweep's
  SlowdownModel slowdown = SlowdownModel::automatic;    // [simulate] slowdown
  std::string slowdown_file;                            // of SlowdownModel::file
  simulate::Contention contention = simulate::default_contention;  // [simulate] contention
  std::int64_t packet_budget = simulate::default_packet_budget;    // [simulate] packet_budget
  std::string packet_cache;  // [simulate] packet_cache: a folder, "off", or the program's own choice
  simulate::Setting setting = simulate::Setting::benchmark;  // [simulate] setting
  std::vector<std::string> profiles;  // files of measured kernels; what they hold is part of the calibration
  TraceWorkload workload;
  std::vector<std::string> what_ifs;  // [what_if], as --set takes them; what they change is in the catalog
  friend bool operator==(const SweepSpec&, const SweepSpec&) = default;
};

// Where its rows go when nobody says otherwise: its own [output] file, else NAME.h5 in the current folder.
[[nodiscard]] inline std::string result_file_of(const SweepSpec& spec) {
  return spec.output_file.empty() ? spec.name + ".h5" : spec.output_file;
}

}  // namespace echo::sweep
