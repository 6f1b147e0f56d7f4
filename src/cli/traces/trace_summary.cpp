#include "cli/traces/trace_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/at.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::cli {

namespace {

using trace::GroupRole;
using trace::Node;
using trace::NodeKind;

constexpr std::int32_t ranks_of_a_node = 8;

template <class Row>
void sort_rows(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.time != b.time ? a.time > b.time : a.count > b.count;
  });
}

// Plays each stream in order and each op after its dependencies; no rank waits for another.
SimTime played_alone(const trace::RankTrace& rank) {
  std::vector<SimTime> end(rank.nodes.size());
  std::map<std::int32_t, SimTime> stream;
  SimTime last{}, host{};
  for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
    const Node& node = rank.nodes[i];
    host += node.gap;
    SimTime start = host;
    for (const auto* waits : {&rank.needs, &rank.follows})
      for (const std::int32_t before : waits->row(static_cast<std::int32_t>(i)))
        start = std::max(start, end[at(before)]);
    if (node.stream >= 0) start = std::max(start, stream[node.stream]);
    end[i] = start + std::max(SimTime::zero(), node.duration);
    if (node.kind == NodeKind::wait) host = std::max(host, end[i]);
    if (node.stream >= 0) stream[node.stream] = end[i];
    last = std::max(last, end[i]);
  }
  return last;
}

class Counting {
 public:
  Counting(const trace::Trace& trace, TraceSummary& out) : trace_(trace), out_(out) {}

  void run() {
    for (std::size_t g = 0; g < trace_.groups.size(); ++g) {
      std::set<std::int32_t> nodes;
      for (const std::int32_t rank : trace_.groups[g].ranks) nodes.insert(rank / ranks_of_a_node);
      out_.groups.push_back({.index = static_cast<std::int32_t>(g),
                             .nodes = std::max(1, static_cast<std::int32_t>(nodes.size()))});
    }
    for (const trace::RankTrace& rank : trace_.ranks) count(rank);
    for (auto& [name, family] : families_) out_.families.push_back(std::move(family));
    for (auto& [key, collective] : collectives_) out_.collectives.push_back(std::move(collective));
    sort_rows(out_.families);
    sort_rows(out_.collectives);
  }

 private:
  void count(const trace::RankTrace& rank) {
    TraceSummary::Rank row{.rank = rank.rank,
                           .stands_for = std::max<std::int64_t>(1, std::ssize(rank.stands_for)),
                           .ops = std::ssize(rank.nodes)};
    std::set<std::int32_t> streams;
    for (const Node& node : rank.nodes) {
      streams.insert(node.stream);
      row.untimed += !node.is_timed() && node.kind != NodeKind::wait;
      ++out_.ops[at(node.kind)][at(node.pass)];
      const SimTime time = std::max(SimTime::zero(), node.duration);
      if (node.kind == NodeKind::compute) row.compute += time, count_kernel(node, time);
      if (node.communicates()) row.communication += time, count_collective(node, time);
    }
    row.streams = std::ssize(streams);
    if (row.untimed < row.ops) row.alone = played_alone(rank);
    out_.step = std::max(out_.step, row.alone);
    out_.ranks.push_back(row);
  }

  void count_kernel(const Node& node, SimTime time) {
    const bool known = node.kernel >= 0;
    const std::string name = known ? ops::name_of(trace_.kernels[at(node.kernel)].kind) : "shape not known";
    TraceSummary::Family& family = families_[name];
    family.name = name;
    ++family.count;
    family.untimed += !node.is_timed();
    family.flops += node.flops;
    family.time += time;
    ++out_.compute_ops, out_.compute_time += time;
    if (known) ++out_.known_ops, out_.known_time += time;
  }

  void count_collective(const Node& node, SimTime time) {
    const trace::Group* group = node.group >= 0 ? &trace_.groups[at(node.group)] : nullptr;
    const bool is_one = node.kind == NodeKind::collective;
    const std::string kind(is_one ? ops::collective_kind_names[at(node.collective)]
                                  : trace::node_kind_names[at(node.kind)]);
    const std::string role(group == nullptr ? "" : trace::group_role_names[at(group->role)]);
    const auto ranks = group == nullptr ? 0 : static_cast<std::int32_t>(group->ranks.size());
    TraceSummary::Collective& row = collectives_[{kind, role, ranks}];
    row.kind = kind, row.role = role, row.ranks = ranks;
    ++row.count;
    row.untimed += !node.is_timed();
    row.bytes += node.bytes;
    row.time += time;
    if (group == nullptr) return;
    TraceSummary::Group& of = out_.groups[at(node.group)];
    ++of.ops;
    of.bytes += node.bytes;
  }

  const trace::Trace& trace_;
  TraceSummary& out_;
  std::map<std::string, TraceSummary::Family> families_;
  std::map<std::tuple<std::string, std::string, std::int32_t>, TraceSummary::Collective> collectives_;
};

// Sizes of the groups with these roles that are used, as in "8" or "2 and 16"; empty if there are none.
std::string sizes_of(const trace::Trace& trace, const TraceSummary& summary,
                     std::initializer_list<GroupRole> roles) {
  std::set<std::size_t> sizes;
  for (const TraceSummary::Group& group : summary.groups) {
    const trace::Group& named = trace.groups[at(group.index)];
    if (group.ops > 0 && std::find(roles.begin(), roles.end(), named.role) != roles.end())
      sizes.insert(named.ranks.size());
  }
  std::string text;
  for (const std::size_t size : sizes) text += (text.empty() ? "" : " and ") + std::to_string(size);
  return text;
}

SweepableAxis gpu_kind(const trace::Trace& trace, const TraceSummary& summary) {
  if (summary.compute_ops == 0) return {"gpu", "no", "it has no computation"};
  const std::string share =
      fmt::format("{:.1f} % of compute {} has a known shape and is repriced", 100.0 * summary.known_share(),
                  summary.compute_time > SimTime::zero() ? "time" : "ops");
  if (summary.known_ops == summary.compute_ops) return {"gpu", "yes", share};
  const bool untimed = std::ranges::any_of(summary.families, [](const TraceSummary::Family& family) {
    return family.name == "shape not known" && family.untimed > 0;
  });
  if (untimed)
    return {"gpu", summary.known_ops > 0 ? "in part" : "no",
            share + "; some of the rest has neither shape nor duration"};
  if (trace.gpu.empty())
    return {"gpu", summary.known_ops > 0 ? "in part" : "no",
            share + "; the rest cannot be scaled: the measured GPU is not recorded"};
  return {"gpu", "yes", share + "; the rest is scaled from " + trace.gpu};
}

SweepableAxis network(const TraceSummary& summary) {
  std::int64_t all = 0, named = 0;
  for (const TraceSummary::Collective& one : summary.collectives) {
    const bool of_host = one.kind == "host_copy" || one.kind == "host_update";
    all += of_host ? 0 : one.count;
    named += !of_host && (one.ranks > 0 || one.kind == "send" || one.kind == "recv") ? one.count : 0;
  }
  if (all == 0) return {"cluster, network", "no", "it has no communication"};
  if (named == all) return {"cluster, network", "yes", "all communication has its participants and sizes"};
  return {"cluster, network", named > 0 ? "in part" : "no",
          fmt::format("{} of {} communications name no group", all - named, all)};
}

SweepableAxis data_parallel(const trace::Trace& trace, const TraceSummary& summary) {
  const std::string sizes = sizes_of(trace, summary, {GroupRole::data, GroupRole::shard});
  if (!sizes.empty())
    return {"dp", "yes", "groups of role data or shard, of " + sizes + " ranks, may have more or fewer"};
  if (trace.world == 1) return {"dp", "no", "it is a one-rank job: the gradients to reduce are not recorded"};
  const bool unknown = !sizes_of(trace, summary, {GroupRole::unknown}).empty();
  return {"dp", "no",
          std::string("no group has the role data or shard") +
              (unknown ? "; if a group of unknown role is one, set its role in the trace" : "")};
}

}  // namespace

double TraceSummary::known_share() const {
  if (compute_time > SimTime::zero())
    return static_cast<double>(known_time.count()) / static_cast<double>(compute_time.count());
  return compute_ops == 0 ? 0.0 : static_cast<double>(known_ops) / static_cast<double>(compute_ops);
}

TraceSummary summarise(const trace::Trace& trace) {
  TraceSummary out;
  Counting(trace, out).run();
  return out;
}

std::vector<SweepableAxis> sweepable(const trace::Trace& trace, const TraceSummary& summary) {
  std::vector<SweepableAxis> axes{gpu_kind(trace, summary), network(summary), data_parallel(trace, summary)};
  const auto fixed = [&](const char* axis, GroupRole role) {
    const std::string sizes = sizes_of(trace, summary, {role});
    axes.push_back(
        {axis, "as traced", sizes.empty() ? "no group has this role" : "groups of " + sizes + " ranks"});
  };
  fixed("tp", GroupRole::tensor);
  fixed("pp", GroupRole::pipeline);
  fixed("cp", GroupRole::context);
  fixed("ep", GroupRole::expert);
  return axes;
}

}  // namespace echo::cli
