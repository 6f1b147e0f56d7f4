#include "explain/explain_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/at.hpp"

namespace echo::explain {

namespace {

using simulate::ReplayScratch;
using trace::NodeKind;

std::string name_on_path(const ReplayScratch& s, std::int32_t op) {
  const trace::Node& node = *s.nodes[at(op)];
  switch (node.kind) {
    case NodeKind::compute:
      return node.kernel >= 0 ? ops::name_of(s.trace->kernels[at(node.kernel)].kind)
                              : "kernels of unknown shape";
    case NodeKind::memory:
      return "loads and stores";
    case NodeKind::send:
    case NodeKind::recv:
      return "messages between ranks";
    case NodeKind::collective:
    case NodeKind::wait:
      break;
  }
  std::string name(ops::collective_kind_names[at(node.collective)]);
  if (s.asks.of[at(op)] < 0) return name;
  const machine::GroupSpan& group = s.queries[at(s.asks.of[at(op)])].group;
  return fmt::format("{} over {} GPUs on {} nodes", name, group.ranks, group.nodes);
}

void add_path(const ReplayScratch& s, Explanation& explanation) {
  std::map<std::string, SimTime> by_name;
  for (const timeline::PathStep& step : s.path)
    by_name[step.op < 0 ? "waiting for the host" : name_on_path(s, step.op)] += step.length;
  for (const auto& [what, time] : by_name)
    if (time != SimTime::zero()) explanation.path.push_back({what, time});
  std::stable_sort(explanation.path.begin(), explanation.path.end(),
                   [](const PathCost& a, const PathCost& b) { return a.time > b.time; });
}

}  // namespace

void explain_replay(const ReplayScratch& s, const simulate::Prices& prices, Explanation& explanation) {
  add_path(s, explanation);
  const std::int32_t rank = explanation.report.critical_stage;
  std::map<std::pair<std::int32_t, ops::Grade>, KernelCost> kernels;
  std::map<std::pair<TimeCategory, std::int32_t>, std::int64_t> collectives;
  for (std::int32_t op = s.graph.rank_begin[at(rank)]; op < s.graph.rank_begin[at(rank) + 1]; ++op) {
    const trace::Node& node = *s.nodes[at(op)];
    if (node.kind == NodeKind::compute && node.kernel >= 0) {
      KernelCost& cost = kernels[{node.kernel, s.grade[at(op)]}];
      cost.key = s.trace->kernels[at(node.kernel)];
      cost.grade = s.grade[at(op)];
      if (cost.grade != ops::Grade::measured) cost.error = prices.kernels[at(node.kernel)].error;
      cost.total += s.alone[at(op)];
      cost.each = cost.total / ++cost.count;
    } else if (s.asks.of[at(op)] >= 0) {
      ++collectives[{s.graph.part[at(op)], s.asks.of[at(op)]}];
    }
  }
  for (const auto& [key, cost] : kernels) explanation.kernels.push_back(cost);
  for (const auto& [key, count] : collectives)
    explanation.collectives.push_back(
        cost_of(key.first, s.queries[at(key.second)], prices.collectives[at(key.second)], count));
  std::stable_sort(explanation.kernels.begin(), explanation.kernels.end(),
                   [](const KernelCost& a, const KernelCost& b) { return a.total > b.total; });
  std::stable_sort(explanation.collectives.begin(), explanation.collectives.end(),
                   [](const CollectiveCost& a, const CollectiveCost& b) { return a.total > b.total; });
}

}  // namespace echo::explain
