// A trace as a sweep's workload.
//
// Problem: the simulator has a catalog of traces, but not the settings of a sweep for them. Idea: the
// settings of [workload] are applied to the trace when it is read (the roles of its groups, which durations
// and which shapes count), so that everything after that, the broadcast included, uses one trace. Its
// digest, computed from the result, is part of the name of every config. The axes that it determines become
// dimensions of one value, and tokens become a rule, because they grow with the data degree.
#include "config/sweep_file/workload_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/named_table.hpp"
#include "config/sweep_file/settings_reader.hpp"
#include "config/toml/did_you_mean.hpp"
#include "ops/kernel_fields.hpp"
#include "simulate/replay/replay_graph.hpp"
#include "simulate/replay/replay_shape.hpp"
#include "sweep/space/config_id.hpp"
#include "trace_io/format.hpp"

namespace echo::config {
namespace {

using sweep::Axis;
using trace::Trace;

template <class T>
void add(Digest& digest, std::span<const T> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  digest.add(std::as_bytes(std::span(&count, 1)));
  digest.add(std::as_bytes(values));
}
void add(Digest& digest, const std::string& text) { add(digest, std::span(text)); }

void add(Digest& digest, const trace::RankTrace& rank) {
  add(digest, std::span<const std::int32_t>(rank.stands_for));
  for (const auto* rows : {&rank.needs, &rank.follows}) {
    add(digest, std::span<const std::int32_t>(rows->offset));
    add(digest, std::span<const std::int32_t>(rows->value));
  }
  for (const trace::Node& node : rank.nodes) {
    const std::array<std::int64_t, 15> numbers{node.id,
                                               static_cast<std::int64_t>(node.kind),
                                               static_cast<std::int64_t>(node.pass),
                                               static_cast<std::int64_t>(node.collective),
                                               static_cast<std::int64_t>(node.precision),
                                               node.stream,
                                               node.kernel,
                                               node.group,
                                               node.peer,
                                               node.launch,
                                               node.tag,
                                               node.duration.count(),
                                               node.gap.count(),
                                               node.bytes.value,
                                               rank.rank};
    add(digest, std::span<const std::int64_t>(numbers));
    add(digest, std::span(&node.flops, 1));
  }
}

// A digest of everything that a step depends on.
std::string digest_of(const Trace& trace) {
  Digest digest;
  add(digest, trace.gpu);
  add(digest, std::span(&trace.world, 1));
  for (const trace::Group& group : trace.groups) {
    add(digest, group.name);
    add(digest, std::span(&group.role, 1));
    add(digest, std::span<const std::int32_t>(group.ranks));
  }
  for (const ops::KernelKey& key : trace.kernels)
    add(digest, std::span<const std::int32_t>(ops::numbers_of(key)));
  for (const trace::RankTrace& rank : trace.ranks) add(digest, rank);
  return digest.hex();
}

// Digest of the file, or of all files of the folder by name, piece by piece.
std::string digest_of_path(const std::string& path) {
  std::vector<std::string> files{path};
  if (std::filesystem::is_directory(path)) {
    files.clear();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
  }
  Digest digest;
  std::vector<char> block(std::size_t{1} << 20);
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0)
      digest.add(std::as_bytes(std::span(block).first(at(in.gcount()))));
  }
  return digest.hex();
}

class WorkloadReader {
 public:
  // `table`: used for places alone; null: there are none.
  WorkloadReader(const toml::table* table, const Place& place, std::vector<Place>& places,
                 SweepInputs& inputs, Problems& problems)
      : table_(table), place_(place), places_(places), inputs_(inputs), problems_(problems) {}

  void read() {
    sweep::TraceWorkload& asked = inputs_.spec.workload;
    if (asked.trace.empty()) {
      asked.trace = "none";  // it is a sweep of a trace, whatever is wrong with it
      if (table_ != nullptr && !table_->contains("trace"))
        problems_.error(place_, "[workload] lacks trace", "add trace = \"FILE\"");
      return;
    }
    std::optional<Trace> trace = read_trace(asked.trace);
    if (!trace) return;
    const int before = problems_.errors();
    name_gpu(*trace);
    choose_groups(*trace);
    require_gpu(*trace);
    choose_times(*trace);
    if (problems_.errors() == before) check(*trace);
    if (problems_.errors() == before) enter(std::move(*trace));
  }

 private:
  [[nodiscard]] Place at(const char* key) const {
    const toml::node* node = table_ == nullptr ? nullptr : table_->get(key);
    return node == nullptr ? place_ : place_of(*node);
  }

  std::optional<Trace> read_trace(const std::string& path) {
    const std::string& format = inputs_.spec.workload.format;
    if (!format.empty() && trace_io::format_named(format) == nullptr) {
      std::vector<std::string> known;
      for (const trace_io::Format* one : trace_io::format_table()) known.emplace_back(one->name);
      problems_.error(at("format"), "unknown trace format \"" + format + "\"",
                      suggest(format, known, "formats"));
      return std::nullopt;
    }
    try {
      return trace_io::read_trace({.path = path}, format);
    } catch (const UserError& error) {
      for (Problem problem : error.problems()) {
        if (problem.place.file.empty()) problem.place = at("trace");
        problems_.error(problem.place, problem.what, problem.remedy);
      }
      return std::nullopt;
    }
  }

  [[nodiscard]] bool is_in_catalog(const std::string& gpu) const {
    return find_named(inputs_.catalog.gpus, gpu) >= 0;
  }

  // The name in the catalog; traces have the driver's name. [workload] gpu speaks where the trace does not.
  void name_gpu(Trace& trace) {
    const std::string& asked = inputs_.spec.workload.gpu;
    const std::string traced = inputs_.aliases.resolve("gpu", trace.gpu);
    const std::string given = inputs_.aliases.resolve("gpu", asked);
    if (is_in_catalog(traced)) trace.gpu = traced;
    if (asked.empty()) return;
    if (!is_in_catalog(given)) {
      std::vector<std::string> known;
      for (const machine::GpuSpec& one : inputs_.catalog.gpus) known.push_back(one.name);
      problems_.error(at("gpu"), "unknown GPU \"" + asked + "\"", suggest(asked, known, "GPUs"));
    } else if (is_in_catalog(trace.gpu) && trace.gpu != given) {
      problems_.error(at("gpu"), "the trace says that it was recorded on " + trace.gpu + ", not on " + given,
                      "remove gpu");
    } else {
      trace.gpu = given;
    }
  }

  // A measured time without a shape is carried from GPU to GPU by the ratio of the two: both must be known.
  void require_gpu(const Trace& trace) {
    const sweep::TraceWorkload& asked = inputs_.spec.workload;
    if (asked.times == sweep::TraceTimes::traced || is_in_catalog(trace.gpu) || !asked.gpu.empty()) return;
    std::int64_t timed = 0, all = 0;
    for (const trace::RankTrace& rank : trace.ranks)
      for (const trace::Node& node : rank.nodes) {
        if (node.kind != trace::NodeKind::compute && node.kind != trace::NodeKind::memory) continue;
        ++all;
        timed += node.kernel < 0 && node.duration > SimTime::zero();
      }
    const std::string which =
        trace.gpu.empty() ? "the trace does not name the GPU they were measured on"
                          : "the catalog has no GPU \"" + trace.gpu + "\", which they were measured on";
    if (timed > 0)
      problems_.error(at("trace"),
                      std::to_string(timed) + " of " + std::to_string(all) +
                          " ops have a time and no known shape, and " + which +
                          ": what they take on the GPUs of the sweep is unknown",
                      "add gpu = \"h100-sxm\", or whichever it was (echo-sweep presets list gpus), to "
                      "[workload]; or times = "
                      "\"traced\", which takes every time as it was measured");
    else if (!trace.gpu.empty())
      problems_.warning(at("trace"),
                        "the catalog has no GPU \"" + trace.gpu + "\", on which the trace was recorded",
                        "its kernels have known shapes and are priced by them");
  }

  void choose_groups(Trace& trace) {
    const std::vector<std::string>& names = inputs_.spec.workload.data_groups;
    if (names.empty()) return;
    std::vector<std::string> known;
    for (trace::Group& group : trace.groups) {
      known.push_back(group.name);
      const bool named = std::find(names.begin(), names.end(), group.name) != names.end();
      const bool grows = group.role == trace::GroupRole::data || group.role == trace::GroupRole::shard;
      if (named && !grows) group.role = trace::GroupRole::data;
      if (!named && grows) group.role = trace::GroupRole::unknown;
    }
    const int before = problems_.errors();
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end())
        problems_.error(at("data_groups"), "the trace has no group \"" + name + "\"",
                        suggest(name, known, "groups"));
    if (problems_.errors() > before) return;
    for (const trace::RankTrace& rank : trace.ranks) warn_if_apart(trace, rank);
  }

  void warn_if_apart(const Trace& trace, const trace::RankTrace& rank) {
    const bool grows = std::any_of(trace.groups.begin(), trace.groups.end(), [&](const trace::Group& group) {
      return (group.role == trace::GroupRole::data || group.role == trace::GroupRole::shard) &&
             std::find(group.ranks.begin(), group.ranks.end(), rank.rank) != group.ranks.end();
    });
    if (grows) return;
    problems_.warning(at("data_groups"),
                      "gpu rank " + std::to_string(rank.rank) + " is in none of these groups",
                      "its collectives are not changed; name a group of every traced rank");
  }

  void choose_times(Trace& trace) const {
    const sweep::TraceTimes times = inputs_.spec.workload.times;
    if (times == sweep::TraceTimes::automatic) return;
    for (trace::RankTrace& rank : trace.ranks) {
      for (trace::Node& node : rank.nodes) {
        if (node.kind != trace::NodeKind::compute || node.kernel < 0 || !node.is_timed()) continue;
        const ops::KernelKey& key = trace.kernels[static_cast<std::size_t>(node.kernel)];
        if (times == sweep::TraceTimes::priced) {
          node.duration = SimTime(-1);
        } else {
          if (node.flops <= 0.0) node.flops = ops::flops_of(key).value;
          node.kernel = -1;
        }
      }
    }
    if (times == sweep::TraceTimes::traced) trace.gpu.clear();
  }

  void check(const Trace& trace) {
    std::string why = trace::why_unsound(trace);
    if (why.empty()) why = simulate::why_not_replayable(trace);
    if (why.empty() && trace.ranks.empty()) why = "it contains no rank";
    if (!why.empty())
      problems_.error(at("trace"), "this trace cannot be replayed: " + why,
                      "trace the same step of one job on all its ranks, or one rank alone");
    for (const std::string& note : trace.notes)
      problems_.warning(at("trace"), note, "echo-sweep trace-info shows details");
  }

  void enter(Trace trace) {
    for (trace::RankTrace& rank : trace.ranks) rank.extras.clear();
    trace.extras.clear();
    simulate::Catalog& catalog = inputs_.catalog;
    std::string name = trace.name.empty() ? "trace" : trace.name;
    while (find_named(catalog.models, name) >= 0) name += "-trace";
    const double tokens = inputs_.spec.workload.tokens;
    training::ModelSpec model{.name = name, .source = "trace " + digest_of(trace)};
    model.max_positions = tokens > 0.0 ? 1 : 0;  // of a sequence: samples are tokens, or not known
    model.trace = training::TraceId(static_cast<std::int32_t>(catalog.traces.size()));
    settle(simulate::shape_of(trace).degrees, name, tokens);
    inputs_.files.push_back(
        {"trace", inputs_.spec.workload.trace, digest_of_path(inputs_.spec.workload.trace)});
    catalog.models.push_back(std::move(model));
    catalog.traces.push_back(std::move(trace));
  }

  void settle(const training::Degrees& degrees, const std::string& name, double tokens) {
    sweep::SweepSpec& spec = inputs_.spec;
    const auto one = [&spec](Axis axis, sweep::AxisValue value) {
      spec.dimensions.push_back({{{axis, {value}}}});
    };
    one(Axis::model, {0, name});
    one(Axis::tp, {degrees.tensor, ""}), one(Axis::pp, {degrees.pipeline, ""});
    one(Axis::cp, {degrees.context, ""}), one(Axis::ep, {degrees.expert, ""});
    one(Axis::etp, {1, ""});
    bool sized = false;  // by a rule
    for (std::size_t i = 0; i < spec.rules.size(); ++i) {
      const sweep::Rule& rule = spec.rules[i];
      if (rule.kind != sweep::RuleKind::derive) continue;
      sized = sized || rule.name == "dp" || rule.name == "gpus";
      for (const sweep::AxisInfo& info : sweep::axis_table)
        if (const auto why = why_not_of_trace(info.axis); info.name == rule.name && why)
          problems_.error(places_[i], why->what, why->remedy);
    }
    if (!sized) one(Axis::dp, {degrees.data, ""});
    if (spec.objectives.empty() && tokens <= 0.0)
      spec.objectives.push_back({"step_time", sweep::Goal::min});  // rates of tokens are not known
    if (tokens <= 0.0) return one(Axis::global_batch, {1, ""});
    const auto whole = static_cast<std::int64_t>(tokens);
    if (whole % degrees.data == 0) one(Axis::micro_batch, {whole / degrees.data, ""});
    spec.rules.insert(spec.rules.begin(),
                      {sweep::RuleKind::derive, "global_batch",
                       std::to_string(whole) + " * dp // " + std::to_string(degrees.data), ""});
    places_.insert(places_.begin(), at("tokens"));
  }

  const toml::table* table_;
  Place place_;
  std::vector<Place>& places_;
  SweepInputs& inputs_;
  Problems& problems_;
};

}  // namespace

void read_workload(const toml::table& root, std::vector<Place>& places, SweepInputs& inputs,
                   Problems& problems) {
  const toml::node* node = root.get("workload");
  if (node == nullptr || !node->is_table()) return;  // of another type: read_settings has said so
  WorkloadReader(node->as_table(), place_of(*node), places, inputs, problems).read();
}

std::string read_workload_again(const sweep::TraceWorkload& workload, const std::string& digest,
                                CatalogInputs& known) {
  if (!std::filesystem::exists(workload.trace)) return "its trace " + workload.trace + " is not there";
  if (digest_of_path(workload.trace) != digest) return "its trace " + workload.trace + " has changed since";
  Problems problems;
  std::vector<Place> places;
  SweepInputs inputs;
  inputs.spec.workload = workload;
  inputs.catalog = std::move(known.catalog), inputs.aliases = known.aliases;
  WorkloadReader(nullptr, {}, places, inputs, problems).read();
  known.catalog = std::move(inputs.catalog);
  return problems.errors() == 0 ? std::string() : problems.list().front().what;
}

std::optional<sweep::TraceWorkload> workload_in(const std::string& resolved_toml, const std::string& trace) {
  Problems problems;
  auto whole = parse_toml(resolved_toml, "", problems);
  const toml::table* table = whole ? (*whole)["workload"].as_table() : nullptr;
  if (table == nullptr) return std::nullopt;
  toml::table root{{"workload", *table}};
  root["workload"].as_table()->insert_or_assign("trace", trace);
  sweep::SweepSpec spec;
  TableReader reader(root, {}, "the sweep", problems);
  read_settings(reader, spec);
  if (problems.errors() > 0) return std::nullopt;
  return std::move(spec.workload);
}

std::optional<AxisRefusal> why_not_of_trace(Axis axis) {
  if (sweep::info_of(axis).of_trace) return std::nullopt;
  const std::string name(sweep::info_of(axis).name);
  if (axis == Axis::model)
    return AxisRefusal{"a model cannot be combined with [workload], whose trace replaces it",
                       "remove model, or [workload]"};
  return AxisRefusal{name + " is fixed by the trace and cannot be chosen",
                     "remove it; a trace is swept over cluster, gpu, framework, dp or gpus, the fabric, its "
                     "placement and the settings of its collectives"};
}

}  // namespace echo::config
