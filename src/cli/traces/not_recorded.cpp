#include "cli/traces/not_recorded.hpp"

#include <fmt/format.h>

#include <set>

#include "base/at.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {

namespace {

using trace::Node;
using trace::NodeKind;

// Ops that lack a fact, of those that should have it.
struct Lacking {
  std::int64_t without = 0, all = 0;
  void count(bool has) { ++all, without += !has; }
};

void add(const char* what, const Lacking& lacking, const char* follows, std::vector<std::string>& out) {
  if (lacking.without > 0)
    out.push_back(fmt::format("{} of {} of {}: {}", what, text::show_count(lacking.without),
                              text::show_count(lacking.all), follows));
}

}  // namespace

std::vector<std::string> not_recorded(const trace::Trace& trace) {
  Lacking shapes, passes, members, streams, roles;
  std::set<std::int32_t> used;
  bool timed = false;
  for (const trace::RankTrace& rank : trace.ranks)
    for (const Node& node : rank.nodes) {
      if (node.kind == NodeKind::compute) {
        shapes.count(node.kernel >= 0);
        passes.count(node.pass != trace::Pass::unknown);
        timed = timed || node.duration > SimTime::zero();
      }
      const bool is_of_host = node.collective == ops::CollectiveKind::host_copy ||
                              node.collective == ops::CollectiveKind::host_update;
      if (node.kind == NodeKind::collective && !is_of_host) members.count(node.group >= 0);
      if (node.group >= 0) used.insert(node.group);
      streams.count(node.stream >= 0);
    }
  for (const std::int32_t group : used)
    if (trace.groups[at(group)].ranks.size() > 1)
      roles.count(trace.groups[at(group)].role != trace::GroupRole::unknown);
  std::vector<std::string> out;
  if (timed && trace.gpu.empty()) out.emplace_back("the GPU of the durations: [workload] gpu names it");
  add("shapes", shapes, "such compute ops are scaled from GPU to GPU, not priced", out);
  add("roles", roles, "dp grows where [workload] data_groups names the data-parallel groups", out);
  add("passes", passes, "recomputation and the optimizer cannot be distinguished", out);
  add("members", members, "such collectives keep their measured time", out);
  add("streams", streams, "such ops are bound by their dependencies alone", out);
  return out;
}

}  // namespace echo::cli
