// Dependencies are those that text_converter.py (mlcommons/chakra) creates in its first pass:
//   DATA    forward computes in a row; backward, last layer first: gradient by the weights, its communication
//           (nothing in the pass waits for it), gradient by the input, from which the layer below starts
//   MODEL   communication after each compute except that by the weights, and the next compute after both
//   HYBRID_DATA_MODEL, HYBRID_MODEL_DATA  MODEL, and communication after the gradient by the weights
//   HYBRID_DLRM  DATA, where the first layer's all-to-alls run concurrently: forward up to the last bottom
//           layer, backward from the layer after it on
// and of those that it does not have, iterate_hybrid_parallel_* of ASTRA-sim 1.0 (Workload.cc):
//   HYBRID_TRANSFORMER  HYBRID_DATA_MODEL, with the first layer's input gradient communicated as well;
//   forward
//           and input gradients among the ranks of a model-parallel group, weight gradients across
//   ..._FWD_IN_BCKWD  before the backward of a layer that asks for it, forward again from the checkpoint
//           below it up to the layer before it
//   HYBRID_CUSTOMIZED  HYBRID_TRANSFORMER; the policy of a layer says which of its parts communicate
#include "trace_io/astra/astra_step.hpp"

#include <algorithm>
#include <numeric>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/error.hpp"

namespace echo::trace_io {

using trace::NodeKind;
using trace::Trace;

namespace {

constexpr std::int64_t ps_per_micro = 1'000'000;
constexpr std::int32_t compute_stream = 0, communication_stream = 1;

// Nodes of the parts of a layer; -1: none.
struct PartNodes {
  std::int32_t compute = -1, communication = -1;
  [[nodiscard]] std::int32_t last() const { return communication >= 0 ? communication : compute; }
};

ops::CollectiveKind kind_of(const std::string& type) {
  if (type == "ALLGATHER") return ops::CollectiveKind::all_gather;
  if (type == "REDUCESCATTER") return ops::CollectiveKind::reduce_scatter;
  return type == "ALLTOALL" ? ops::CollectiveKind::all_to_all : ops::CollectiveKind::all_reduce;
}

class StepBuilder {
 public:
  StepBuilder(const AstraTable& table, Trace& trace)
      : table_(table), trace_(trace), rank_(trace.ranks.front()), nodes_(table.layers.size()) {}
  void build() {
    if (table_.split == AstraSplit::micro) return micro();
    const bool chained = table_.split == AstraSplit::data || table_.split == AstraSplit::hybrid_dlrm;
    chained ? forward_in_a_row() : forward_behind_communication();
    for (std::int32_t i = count() - 1; i >= 0; --i) chained ? backward_in_a_row(i) : backward_behind(i);
  }

 private:
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(table_.layers.size()); }
  [[nodiscard]] bool is_transformer() const {
    return has_model_groups(table_.split) || table_.split == AstraSplit::customized;
  }
  // Whether the policy of the layer lets this part communicate.
  [[nodiscard]] bool communicates(const AstraLayer& layer, AstraPass pass) const {
    if (table_.split != AstraSplit::customized) return true;
    return layer.own != (pass == AstraPass::weight_gradient ? AstraSplit::model : AstraSplit::data);
  }
  // Groups: all; or those that share a layer, and those that have the same one.
  [[nodiscard]] std::int32_t group_of(AstraPass pass) const {
    return trace_.groups.size() > 1 && pass == AstraPass::weight_gradient ? 1 : 0;
  }
  [[nodiscard]] bool is_dlrm() const { return table_.split == AstraSplit::hybrid_dlrm; }
  PartNodes& at(std::int32_t layer, AstraPass pass) {
    return nodes_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(pass)];
  }
  void compute(std::int32_t layer, AstraPass, std::initializer_list<std::int32_t> needs);
  void communicate(std::int32_t layer, AstraPass, std::initializer_list<std::int32_t> needs);
  void append(trace::Node, const std::string& name, const std::string& extra,
              std::initializer_list<std::int32_t> needs);
  void micro();
  void forward_in_a_row();
  void forward_behind_communication();
  std::int32_t forward_again(std::int32_t layer, std::int32_t after, std::int32_t also_after);
  void backward_in_a_row(std::int32_t layer);
  void backward_behind(std::int32_t layer);

  const AstraTable& table_;
  Trace& trace_;
  trace::RankTrace& rank_;
  std::vector<std::array<PartNodes, 3>> nodes_;  // [layers][AstraPass]
};

void StepBuilder::append(trace::Node node, const std::string& name, const std::string& extra,
                         std::initializer_list<std::int32_t> needs) {
  node.id = static_cast<std::int64_t>(rank_.nodes.size());
  node.name = static_cast<std::int32_t>(trace_.names.size());
  trace_.names.push_back(name);
  rank_.nodes.push_back(node);
  rank_.extras.push_back(extra);
  for (const std::int32_t earlier : needs)
    if (earlier >= 0) rank_.needs.push(earlier);
  rank_.needs.close_row();
  rank_.follows.close_row();
}

std::string extra_of(std::int32_t layer, AstraPass pass) {
  return std::to_string(layer) + " " + std::to_string(static_cast<int>(pass));
}

void StepBuilder::compute(std::int32_t layer, AstraPass pass, std::initializer_list<std::int32_t> needs) {
  constexpr std::array<std::string_view, 3> pass_names{"_FWD", "_BWD_IG", "_BWD_WG"};
  const AstraLayer& of = table_.layers[static_cast<std::size_t>(layer)];
  const auto index = static_cast<std::size_t>(pass);
  trace::Node node;
  node.kind = NodeKind::compute;
  node.pass = pass == AstraPass::forward ? trace::Pass::forward : trace::Pass::backward;
  node.stream = compute_stream;
  node.duration = SimTime(of.parts[index].micros * ps_per_micro);
  at(layer, pass).compute = static_cast<std::int32_t>(rank_.nodes.size());
  append(node, "COMP_NODE_" + of.name + std::string(pass_names[index]), extra_of(layer, pass), needs);
}

void StepBuilder::communicate(std::int32_t layer, AstraPass pass, std::initializer_list<std::int32_t> needs) {
  const AstraLayer& of = table_.layers[static_cast<std::size_t>(layer)];
  const AstraPart& part = of.parts[static_cast<std::size_t>(pass)];
  if (part.type == "NONE" || !communicates(of, pass)) return;
  trace::Node node;
  node.kind = NodeKind::collective;
  node.pass = pass == AstraPass::forward ? trace::Pass::forward : trace::Pass::backward;
  node.stream = communication_stream;
  node.collective = kind_of(part.type);
  node.group = group_of(pass);
  // The converter passes the size to ASTRA-sim unchanged, where the size of an all-gather is one rank's
  // share.
  const bool share = node.collective == ops::CollectiveKind::all_gather;
  const auto members = static_cast<std::int64_t>(trace_.groups[echo::at(node.group)].ranks.size());
  node.bytes = Bytes(part.bytes) * (share ? members : 1);
  at(layer, pass).communication = static_cast<std::int32_t>(rank_.nodes.size());
  append(node, "COMM_COLL_NODE_" + of.name + "_" + part.type, extra_of(layer, pass), needs);
}

void StepBuilder::micro() {
  for (std::int32_t i = 0; i < count(); ++i) communicate(i, AstraPass::weight_gradient, {});
}

void StepBuilder::forward_in_a_row() {
  for (std::int32_t i = 0; i < count(); ++i) {
    const std::int32_t before = i == 0 ? -1 : at(i - 1, AstraPass::forward).compute;
    const bool joins = is_dlrm() && i == table_.last_bottom_layer;
    compute(i, AstraPass::forward, {before, joins ? at(0, AstraPass::forward).communication : -1});
    if (is_dlrm() && table_.layers[static_cast<std::size_t>(i)].parts[0].type == "ALLTOALL")
      communicate(i, AstraPass::forward, {at(i, AstraPass::forward).compute});
  }
}

void StepBuilder::backward_in_a_row(std::int32_t i) {
  const std::int32_t above =
      i + 1 == count() ? at(i, AstraPass::forward).compute : at(i + 1, AstraPass::input_gradient).compute;
  compute(i, AstraPass::weight_gradient, {above, at(i, AstraPass::input_gradient).communication});
  const std::int32_t own = at(i, AstraPass::weight_gradient).compute;
  communicate(i, AstraPass::weight_gradient, {own});
  if (i > 0) compute(i, AstraPass::input_gradient, {own});
  if (is_dlrm() && i > 0 && i == table_.last_bottom_layer + 1)
    communicate(0, AstraPass::input_gradient, {at(i, AstraPass::input_gradient).compute});
}

void StepBuilder::forward_behind_communication() {
  for (std::int32_t i = 0; i < count(); ++i) {
    compute(i, AstraPass::forward, {i == 0 ? -1 : at(i - 1, AstraPass::forward).last()});
    communicate(i, AstraPass::forward, {at(i, AstraPass::forward).compute});
  }
}

// The last of the layers below `layer` that are computed again, behind two others; -1: none.
std::int32_t StepBuilder::forward_again(std::int32_t layer, std::int32_t after, std::int32_t also_after) {
  if (std::find(table_.again_before.begin(), table_.again_before.end(), layer) == table_.again_before.end())
    return -1;
  std::int32_t first = -1, last = -1;
  for (const std::int32_t one : table_.checkpoints)
    if (one <= layer) first = std::max(first, one);
  for (std::int32_t i = first; i < layer; ++i) {
    const PartNodes kept = at(i, AstraPass::forward);
    compute(i, AstraPass::forward, {last >= 0 ? last : after, last >= 0 ? -1 : also_after});
    rank_.nodes.back().pass = trace::Pass::recompute;
    const std::size_t before = rank_.nodes.size();
    communicate(i, AstraPass::forward, {at(i, AstraPass::forward).compute});
    if (rank_.nodes.size() > before) rank_.nodes.back().pass = trace::Pass::recompute;
    last = rank_.nodes.size() > before ? at(i, AstraPass::forward).communication
                                       : at(i, AstraPass::forward).compute;
    at(i, AstraPass::forward) = kept;
  }
  return last;
}

void StepBuilder::backward_behind(std::int32_t i) {
  const bool is_last = i + 1 == count();
  const std::int32_t after =
      is_last ? at(i, AstraPass::forward).last() : at(i + 1, AstraPass::weight_gradient).compute;
  const std::int32_t also = is_last ? -1 : at(i + 1, AstraPass::input_gradient).communication;
  const std::int32_t again = forward_again(i, after, also);
  if (again >= 0)
    compute(i, AstraPass::input_gradient, {again});
  else
    compute(i, AstraPass::input_gradient, {after, also});
  const std::int32_t own = at(i, AstraPass::input_gradient).compute;
  if (i > 0 || is_transformer()) communicate(i, AstraPass::input_gradient, {own});
  compute(i, AstraPass::weight_gradient, {own});
  if (table_.split != AstraSplit::model)
    communicate(i, AstraPass::weight_gradient, {at(i, AstraPass::weight_gradient).compute});
}

}  // namespace

Trace step_of(const AstraTable& table, std::int32_t ranks) {
  ECHO_EXPECT(ranks >= 1);
  Trace trace;
  trace.world = ranks;
  std::vector<std::int32_t> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  const bool splits = has_model_groups(table.split);
  if (splits && ranks % table.model_ranks != 0)
    throw UserError("a model-parallel group of " + std::to_string(table.model_ranks) + " does not divide " +
                        std::to_string(ranks) + " ranks",
                    "correct model_parallel_NPU_group: or the number of ranks");
  if (splits) {
    std::vector<std::int32_t> model, data;
    for (std::int32_t i = 0; i < table.model_ranks; ++i) model.push_back(i);
    for (std::int32_t i = 0; i < ranks; i += table.model_ranks) data.push_back(i);
    trace.groups.push_back({"model", trace::GroupRole::tensor, model});
    trace.groups.push_back({"data", trace::GroupRole::data, data});
  } else {
    trace.groups.push_back({"all", trace::GroupRole::unknown, all});
  }
  trace.ranks.push_back({});
  trace.ranks.front().stands_for = all;
  trace.extras = text_of(table);
  StepBuilder(table, trace).build();
  return trace;
}

}  // namespace echo::trace_io
