// The i-th collective that each member calls on a group is one meeting; messages match by sender, receiver
// and tag, then by order. No rank waits for one that is not traced, but messages to and from a rank that a
// traced rank stands for are matched with those of the traced rank, where both have equally many. Sends and
// receives of one launch share their link, so each takes as long as the bytes of all that go the same way;
// collectives of one launch and kind are priced as one collective of all their bytes
// (collective::price_group treats equal calls so) and run one after the other, each for its share of the
// time.
#include "simulate/replay/replay_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/at.hpp"
#include "training/model.hpp"

namespace echo::simulate {

namespace {

using timeline::ReplayGraph;
using timeline::ReplayKind;
using trace::GroupRole;
using trace::Node;
using trace::NodeKind;

bool is_message(const Node& node) { return node.kind == NodeKind::send || node.kind == NodeKind::recv; }
bool is_of_host(const Node& node) {
  return node.collective == ops::CollectiveKind::host_copy ||
         node.collective == ops::CollectiveKind::host_update;
}

ReplayKind kind_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::compute:
      return ReplayKind::kernel;
    case NodeKind::memory:
      return ReplayKind::memory;
    case NodeKind::wait:
      return ReplayKind::wait;
    case NodeKind::collective:
    case NodeKind::send:
    case NodeKind::recv:
      break;
  }
  return ReplayKind::communication;
}

TimeCategory part_of_pass(trace::Pass pass) {
  switch (pass) {
    case trace::Pass::forward:
      return TimeCategory::forward;
    case trace::Pass::backward:
      return TimeCategory::backward;
    case trace::Pass::recompute:
      return TimeCategory::recompute;
    case trace::Pass::optimizer:
      return TimeCategory::optimizer;
    case trace::Pass::unknown:
      break;
  }
  return TimeCategory::other;
}

TimeCategory part_of(const Node& node, const trace::Trace& trace) {
  if (node.kind == NodeKind::compute) return part_of_pass(node.pass);
  if (!node.communicates() || (node.kind == NodeKind::collective && is_of_host(node)))
    return TimeCategory::other;
  const GroupRole role = node.group < 0 ? GroupRole::unknown : trace.groups[at(node.group)].role;
  const bool spans_world =
      node.group < 0 || static_cast<std::int32_t>(trace.groups[at(node.group)].ranks.size()) == trace.world;
  switch (role) {
    case GroupRole::data:
      return TimeCategory::dp_comm;
    case GroupRole::shard:
      return TimeCategory::zero_comm;
    case GroupRole::tensor:
      return TimeCategory::tp_comm;
    case GroupRole::context:
      return TimeCategory::cp_comm;
    case GroupRole::expert:
      return TimeCategory::ep_comm;
    case GroupRole::pipeline:
      return TimeCategory::pp_comm;
    case GroupRole::unknown:
      break;
  }
  if (is_message(node)) return TimeCategory::pp_comm;
  return spans_world ? TimeCategory::dp_comm : TimeCategory::tp_comm;
}

// Calls the visitor for every node, with its number among the ops.
template <class Visit>
void each_node(const trace::Trace& trace, Visit visit) {
  std::int32_t op = 0;
  for (const trace::RankTrace& rank : trace.ranks)
    for (const Node& node : rank.nodes) visit(rank, node, op++);
}

class Meetings {
 public:
  Meetings(const trace::Trace& trace, ReplayGraph& graph) : trace_(trace), graph_(graph) {
    for (const trace::RankTrace& rank : trace.ranks)
      for (const std::int32_t one : rank.stands_for) stand_in_[one] = rank.rank;
  }

  std::string join() {
    each_node(trace_, [&](const trace::RankTrace& rank, const Node& node, std::int32_t op) {
      if (node.kind == NodeKind::collective && !is_of_host(node))
        calls_[{node.group, rank.rank}].push_back({&node, op});
      if (is_message(node)) add_message(rank.rank, node, op);
    });
    join_collectives();
    join_messages();
    return problem_;
  }

 private:
  struct Call {
    const Node* node;
    std::int32_t op;
  };
  struct Channel {
    bool traced = true;  // both ends
    std::int32_t from, to;
    std::int64_t tag;
    friend auto operator<=>(const Channel&, const Channel&) = default;
  };
  struct Messages {
    std::vector<std::int32_t> sent, received;  // ops
  };

  void complain(const std::string& text) {
    if (problem_.empty()) problem_ = text;
  }

  void add_message(std::int32_t rank, const Node& node, std::int32_t op) {
    const auto other = stand_in_.find(node.peer);
    if (other == stand_in_.end() || other->second == rank) return;
    const bool sends = node.kind == NodeKind::send;
    Channel channel{other->second == node.peer, sends ? rank : other->second, sends ? other->second : rank,
                    node.tag};
    Messages& messages = messages_[channel];
    (sends ? messages.sent : messages.received).push_back(op);
  }

  void join_collectives() {
    auto rank = calls_.begin();
    while (rank != calls_.end()) {
      auto next = std::next(rank);
      const std::int32_t group = rank->first.first;
      const std::vector<Call>& first = rank->second;
      const std::int32_t meeting = meetings_;
      for (; next != calls_.end() && next->first.first == group; ++next) {
        compare(group, rank->first.second, first, next->first.second, next->second);
        join(next->second, meeting);
        meetings_ = std::max(meetings_, meeting + static_cast<std::int32_t>(next->second.size()));
      }
      if (std::next(rank) != next) {
        join(first, meeting);
        meetings_ = std::max(meetings_, meeting + static_cast<std::int32_t>(first.size()));
      }
      rank = next;
    }
  }
  void join(const std::vector<Call>& calls, std::int32_t meeting) {
    for (std::size_t i = 0; i < calls.size(); ++i)
      graph_.meeting[at(calls[i].op)] = meeting + static_cast<std::int32_t>(i);
  }
  void compare(std::int32_t group, std::int32_t rank, const std::vector<Call>& calls, std::int32_t other,
               const std::vector<Call>& others) {
    const std::string name = group < 0 ? "all ranks" : "group \"" + trace_.groups[at(group)].name + "\"";
    const auto word = [](const Call& call) {
      return std::string(ops::collective_kind_names[at(call.node->collective)]) + " (node " +
             std::to_string(call.node->id) + ")";
    };
    for (std::size_t i = 0; i < std::min(calls.size(), others.size()); ++i) {
      if (calls[i].node->collective == others[i].node->collective) continue;
      return complain("collective " + std::to_string(i + 1) + " of " + name + " is " + word(calls[i]) +
                      " on gpu rank " + std::to_string(rank) + " and " + word(others[i]) + " on gpu rank " +
                      std::to_string(other));
    }
    if (calls.size() != others.size())
      complain("gpu rank " + std::to_string(rank) + " calls " + std::to_string(calls.size()) +
               " collectives of " + name + ", gpu rank " + std::to_string(other) + " calls " +
               std::to_string(others.size()));
  }

  void join_messages() {
    for (const auto& [channel, messages] : messages_) {
      const auto& [sent, received] = messages;
      if (sent.size() != received.size()) {
        if (!channel.traced) continue;
        complain("gpu rank " + std::to_string(channel.from) + " sends gpu rank " +
                 std::to_string(channel.to) + " " + std::to_string(sent.size()) + " messages of tag " +
                 std::to_string(channel.tag) + ", of which it receives " + std::to_string(received.size()));
        continue;
      }
      for (std::size_t i = 0; i < sent.size(); ++i)
        graph_.meeting[at(sent[i])] = graph_.meeting[at(received[i])] = meetings_++;
    }
  }

  const trace::Trace& trace_;
  ReplayGraph& graph_;
  std::map<std::int32_t, std::int32_t> stand_in_;                             // rank -> the traced one
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Call>> calls_;  // (group, rank)
  std::map<Channel, Messages> messages_;
  std::int32_t meetings_ = 0;
  std::string problem_;
};

}  // namespace

std::string graph_of(const trace::Trace& trace, ReplayGraph& out) {
  out = {};
  for (const trace::RankTrace& rank : trace.ranks) {
    const std::int32_t first = out.ops();
    for (std::size_t i = 0; i < rank.nodes.size(); ++i) {
      const Node& node = rank.nodes[i];
      out.kind.push_back(kind_of(node.kind));
      out.lane.push_back(node.stream);
      out.part.push_back(part_of(node, trace));
      out.gap.push_back(node.gap);
      out.meeting.push_back(-1);
      out.launch.push_back(is_message(node) ? node.launch : -1);
      for (const auto* rows : {&rank.needs, &rank.follows})
        for (const std::int32_t earlier : rows->row(static_cast<std::int32_t>(i)))
          out.needs.push(first + earlier);
      out.needs.close_row();
    }
    out.rank_begin.push_back(first + static_cast<std::int32_t>(rank.nodes.size()));
  }
  return Meetings(trace, out).join();
}

void asks_of(const trace::Trace& trace, TraceAsks& out) {
  using Launch = std::tuple<std::int32_t, std::int32_t, NodeKind, ops::CollectiveKind, std::int32_t>;
  const auto launch_of = [](const trace::RankTrace& rank, const Node& node) {
    return Launch{rank.rank, node.launch, node.kind, node.collective, is_message(node) ? -1 : node.group};
  };
  std::map<Launch, std::int64_t> together;
  each_node(trace, [&](const trace::RankTrace& rank, const Node& node, std::int32_t) {
    if (node.communicates() && node.launch >= 0) together[launch_of(rank, node)] += node.bytes.value;
  });
  out = {};
  std::map<TraceAsk, std::int32_t> known;
  each_node(trace, [&](const trace::RankTrace& rank, const Node& node, std::int32_t) {
    out.of.push_back(-1), out.share.push_back(1.0);
    if (!node.communicates() || node.bytes.value <= 0) return;
    TraceAsk ask{.kind = node.collective, .payload = node.bytes, .group = node.group};
    if (node.launch >= 0) ask.payload = Bytes(together[launch_of(rank, node)]);
    if (is_message(node)) {
      const bool sends = node.kind == NodeKind::send;
      ask.kind = ops::CollectiveKind::send_recv, ask.group = -1;
      ask.from = sends ? rank.rank : node.peer, ask.to = sends ? node.peer : rank.rank;
    } else if (is_of_host(node)) {
      ask.group = -1;
    } else if (node.launch >= 0) {
      out.share.back() = node.bytes / ask.payload;
    }
    const auto [entry, is_new] = known.try_emplace(ask, static_cast<std::int32_t>(out.asks.size()));
    if (is_new) out.asks.push_back(ask);
    out.of.back() = entry->second;
  });
}

std::string describe_op(const trace::Trace& trace, std::int32_t op) {
  std::string text;
  each_node(trace, [&](const trace::RankTrace& rank, const Node& node, std::int32_t i) {
    if (i != op) return;
    text = "gpu rank " + std::to_string(rank.rank) + ": node " + std::to_string(node.id);
    std::string what(node.kind == NodeKind::collective ? ops::collective_kind_names[at(node.collective)]
                                                       : trace::node_kind_names[at(node.kind)]);
    if (node.group >= 0) what += " of " + trace.groups[at(node.group)].name;
    if (is_message(node))
      what += (node.kind == NodeKind::send ? " to " : " from ") + std::to_string(node.peer);
    text += " (" + what + ")";
  });
  return text;
}

std::string why_stuck(const trace::Trace& trace, const timeline::ReplayScratch& ran) {
  std::string text;
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < std::min(most, ran.stuck.size()); ++i)
    text += (i == 0 ? "" : "; ") + describe_op(trace, ran.stuck[i]);
  if (ran.stuck.size() > most) text += "; and " + std::to_string(ran.stuck.size() - most) + " further ranks";
  return text.empty() ? text : "deadlock, ops wait for each other: " + text;
}

std::string why_not_replayable(const trace::Trace& trace) {
  ReplayGraph graph;
  if (std::string problem = graph_of(trace, graph); !problem.empty()) return problem;
  timeline::ReplayPlan plan;
  timeline::plan_replay(graph, plan);
  std::vector<SimTime> alone;
  each_node(trace, [&](const trace::RankTrace&, const Node& node, std::int32_t) {
    alone.push_back(node.kind == NodeKind::wait ? SimTime::zero() : std::max(node.duration, SimTime::zero()));
  });
  const std::vector<WorkId> work(alone.size());
  timeline::ReplayScratch ran;
  (void)timeline::replay(graph, plan, {alone, work}, {}, ran);
  return why_stuck(trace, ran);
}

}  // namespace echo::simulate
