// Compute goes on stream 0 in the order of the file. The gradient buckets of DistributedDataParallel follow
// it there, each as a node that gathers gradients (ddp_pre) and one that sums them (ddp_Allreduce): an
// all-reduce is issued where the last gradient of its bucket is done, on stream 1. The optimizer waits for
// all.
#include "trace_io/echo_tracer/tracer_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "trace_io/echo_tracer/tracer_graph.hpp"
#include "trace_io/model/trace_tables.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

using trace::Node;
using trace::NodeKind;
using trace::Pass;

struct BesideFiles {
  std::string times, run;  // empty: not there
};

std::string if_there(const std::string& path) { return std::filesystem::is_regular_file(path) ? path : ""; }

BesideFiles beside(const Source& source) {
  BesideFiles out{source.beside};
  std::string path = source.path;
  constexpr std::string_view graph = "graph_profiling";
  const std::size_t folder = path.find("/PyTorch/pytorch_graph_profiling/"), last = path.rfind(graph);
  if (folder != path.npos && last != path.npos && last > folder + 33) {
    const std::string model = path.substr(folder + 33, path.rfind('/') - folder - 33);
    out.run =
        if_there(path.substr(0, folder) + "/logs/PyTorch/config_" + model + path.substr(last + graph.size()));
  }
  if (!out.times.empty()) return out;
  for (std::size_t place = path.find(graph); place != path.npos; place = path.find(graph, place + 1))
    path.replace(place, graph.size(), "ops_profiling");
  if (path != source.path) out.times = if_there(path);
  return out;
}

bool is_bucket(const TracerNode& node) { return node.op == "ddp_pre" || node.op == "ddp_Allreduce"; }

class Builder {
 public:
  explicit Builder(const Source& source) : files_(beside(source)), graph_(read_tracer_graph(source.path)) {
    if (!files_.times.empty()) times_ = read_tracer_times(files_.times);
    if (!files_.run.empty()) run_ = read_tracer_run(files_.run);
    for (std::size_t i = 0; i < graph_.size(); ++i)
      if (!places_.emplace(graph_[i].name, static_cast<std::int32_t>(i)).second)
        throw UserError(
            {Problem{{source.path}, "two nodes have the name \"" + graph_[i].name + "\"", "trace again"}});
  }

  trace::Trace build() {
    out_.gpu = times_.empty() ? "" : run_.gpu;
    out_.world = run_.gpus;
    nodes_.assign(graph_.size(), -1);
    for (const std::int32_t i : order()) append(i);
    if (const auto found = times_.find("optimizer_step"); found != times_.end())
      append_optimizer(found->second);
    note();
    out_.ranks.push_back(std::move(rank_));
    return std::move(out_);
  }

 private:
  // Buckets move up to where the last of their gradients is.
  std::vector<std::int32_t> order() const {
    std::vector<std::int32_t> key(graph_.size());
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      key[i] = static_cast<std::int32_t>(i);
      if (!is_bucket(graph_[i])) continue;
      std::int32_t latest = -1;
      for (const std::string& from : graph_[i].from)
        if (const auto found = places_.find(from);
            found != places_.end() && found->second != static_cast<std::int32_t>(i))
          latest = std::max(
              latest, found->second < static_cast<std::int32_t>(i) ? key[at(found->second)] : found->second);
      if (latest >= 0) key[i] = latest;
    }
    std::vector<std::int32_t> out(graph_.size());
    std::iota(out.begin(), out.end(), 0);
    std::stable_sort(out.begin(), out.end(),
                     [&](std::int32_t a, std::int32_t b) { return key[at(a)] < key[at(b)]; });
    return out;
  }

  void append(std::int32_t i) {
    const TracerNode& from = graph_[at(i)];
    if (from.op == "ddp_pre") return;  // no op of its own: whoever needs it needs what it gathers
    Node node{.id = i, .pass = pass_of(from)};
    node.name = tables_.name(from.name);
    if (is_bucket(from)) {
      all_reduce(node, from);
    } else {
      const AtenCall call = call_of(from);
      if (const auto key = kernel_of(call, node.pass)) node.kernel = tables_.kernel(*key);
      node.flops = gradient_flops(from);
      if (node.kernel < 0) node.bytes = traffic(from);
      if (const auto found = times_.find(from.name); found != times_.end())
        node.duration = from_microseconds(found->second * 1e3);
      else
        ++untimed_;
    }
    append_node(rank_, node, needs_of(from, true));
    nodes_[at(i)] = static_cast<std::int32_t>(rank_.nodes.size()) - 1;
  }

  static Pass pass_of(const TracerNode& node) {
    const bool is_backward =
        node.op.find("Backward") != node.op.npos || node.op == "AccumulateGrad" || is_bucket(node);
    return is_backward ? Pass::backward : Pass::forward;
  }

  void all_reduce(Node& node, const TracerNode& from) {
    constexpr std::int64_t most = std::int64_t{1} << 40;
    node.kind = NodeKind::collective;
    node.collective = ops::CollectiveKind::all_reduce;
    node.stream = 1;
    ElementType element{4, machine::Precision::fp32};
    for (const TracerNode& one : graph_)
      if (one.op == "AccumulateGrad" && !one.inputs.empty())
        if (const auto type = element_type(one.inputs[0].type)) element = *type;
    node.bytes = Bytes(std::clamp<std::int64_t>(from.bucket, 0, most) * element.bytes);
    if (element.precision) node.precision = *element.precision;
    trace::Group group{.name = "ddp", .role = trace::GroupRole::data, .ranks = {}};
    for (std::int32_t rank = 0; rank < out_.world; ++rank) group.ranks.push_back(rank);
    node.group = tables_.add_group(std::move(group));
    reductions_.push_back(static_cast<std::int32_t>(rank_.nodes.size()));
  }

  static Bytes traffic(const TracerNode& node) {
    AtenCall call{.name = "tensors"};
    for (const auto* list : {&node.inputs, &node.outputs})
      for (const TracerTensor& one : *list) {
        call.shapes.push_back(one.shape);
        call.types.push_back(one.type);
      }
    return moved_by(call);
  }

  std::vector<std::int32_t> needs_of(const TracerNode& node, bool through) {
    std::vector<std::int32_t> out;
    for (const std::string& from : node.from) {
      const auto found = places_.find(from);
      if (found == places_.end()) continue;
      const TracerNode& other = graph_[at(found->second)];
      if (other.op == "ddp_pre" && through) {
        const auto behind = needs_of(other, false);
        out.insert(out.end(), behind.begin(), behind.end());
      } else if (const std::int32_t place = nodes_[at(found->second)]; place >= 0) {
        out.push_back(place);
      } else if (&other != &node) {
        ++later_;
      }
    }
    return out;
  }

  void append_optimizer(double milliseconds) {
    Node node{.id = static_cast<std::int64_t>(graph_.size()), .pass = Pass::optimizer};
    node.name = tables_.name("optimizer_step");
    node.duration = from_microseconds(milliseconds * 1e3);
    append_node(rank_, node, reductions_);
  }

  void note() {
    if (times_.empty())
      out_.notes.push_back("no file of times beside the graph: all ops are priced by their shapes");
    else if (untimed_ > 0)
      out_.notes.push_back(fmt::format("{} ops have no time", untimed_));
    if (files_.run.empty())
      out_.notes.push_back("no description of the run beside it: assumed to be one GPU of unknown kind");
    if (later_ > 0)
      out_.notes.push_back(
          fmt::format("{} ops depend on later ones; these dependencies are left out", later_));
  }

  BesideFiles files_;
  std::vector<TracerNode> graph_;
  std::map<std::string, double> times_;  // ms
  TracerRun run_;
  std::unordered_map<std::string, std::int32_t> places_;  // of the graph, by name
  std::vector<std::int32_t> nodes_;                       // [graph] of the rank; -1: none yet
  std::vector<std::int32_t> reductions_;
  std::int64_t untimed_ = 0, later_ = 0;
  trace::Trace out_;
  TraceTables tables_{out_};
  trace::RankTrace rank_{.rank = 0, .stands_for = {0}};
};

}  // namespace

trace::Trace read_tracer(const Source& source) { return Builder(source).build(); }

}  // namespace echo::trace_io
