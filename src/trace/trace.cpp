#include "trace/trace.hpp"

#include <set>

namespace echo::trace {

namespace {

bool within(std::int32_t index, std::size_t size) {
  return index >= -1 && index < static_cast<std::int32_t>(size);
}

bool is_earlier(const Csr<std::int32_t>& rows, std::int32_t count) {
  if (rows.rows() != count) return false;
  for (std::int32_t i = 0; i < count; ++i)
    for (const std::int32_t earlier : rows.row(i))
      if (earlier < 0 || earlier >= i) return false;
  return true;
}

std::string why_unsound(const Node& node, const Trace& trace) {
  if (node.name < 0 || !within(node.name, trace.names.size())) return "has a name that is not in the table";
  if (!within(node.kernel, trace.kernels.size())) return "has a kernel that is not in the table";
  if (!within(node.group, trace.groups.size())) return "has a group that is not in the table";
  if (node.bytes.value < 0) return "has a negative size";
  if (node.gap < SimTime::zero()) return "is issued before its predecessor";
  if (!(node.flops >= 0.0)) return "has a negative amount of arithmetic";
  if (node.kind == NodeKind::send || node.kind == NodeKind::recv)
    if (node.peer < 0 || node.peer >= trace.world) return "has a peer that is not a rank of the job";
  return {};
}

std::string why_unsound(const RankTrace& rank, const Trace& trace) {
  const auto count = static_cast<std::int32_t>(rank.nodes.size());
  if (!is_earlier(rank.needs, count) || !is_earlier(rank.follows, count))
    return "waits for ops that are not earlier";
  if (!rank.extras.empty() && rank.extras.size() != rank.nodes.size())
    return "has extras for only some nodes";
  std::vector<std::vector<bool>> member(trace.groups.size());
  for (std::size_t g = 0; g < trace.groups.size(); ++g)
    for (const std::int32_t one : trace.groups[g].ranks)
      if (one == rank.rank) member[g].push_back(true);
  std::set<std::int64_t> ids;
  for (const Node& node : rank.nodes) {
    const std::string at = "node " + std::to_string(node.id) + " ";
    if (!ids.insert(node.id).second) return at + "occurs twice";
    if (std::string problem = why_unsound(node, trace); !problem.empty()) return at + problem;
    if (node.kind == NodeKind::collective && node.group >= 0 &&
        member[static_cast<std::size_t>(node.group)].empty())
      return at + "is a collective of a group without this rank";
  }
  return {};
}

}  // namespace

std::string why_unsound(const Trace& trace) {
  if (trace.world < 1) return "the job has no ranks";
  std::set<std::string> names;
  for (const Group& group : trace.groups) {
    if (!names.insert(group.name).second) return "two groups have the name \"" + group.name + "\"";
    std::set<std::int32_t> members;
    for (const std::int32_t rank : group.ranks)
      if (rank < 0 || rank >= trace.world || !members.insert(rank).second)
        return "group \"" + group.name + "\" has rank " + std::to_string(rank) +
               " twice, or the job does not have it";
  }
  std::set<std::int32_t> stood_for;
  std::int32_t last = -1;
  for (const RankTrace& rank : trace.ranks) {
    const std::string at = "rank " + std::to_string(rank.rank) + ": ";
    if (rank.rank <= last || rank.rank >= trace.world) return at + "is out of order or not a rank of the job";
    last = rank.rank;
    bool itself = false;
    for (const std::int32_t one : rank.stands_for) {
      if (one < 0 || one >= trace.world || !stood_for.insert(one).second)
        return at + "stands for rank " + std::to_string(one) +
               ", which another rank already represents or the job lacks";
      itself = itself || one == rank.rank;
    }
    if (!itself) return at + "does not stand for itself";
    if (std::string problem = why_unsound(rank, trace); !problem.empty()) return at + problem;
  }
  return {};
}

}  // namespace echo::trace
