// A step of ours, written as Chakra files, takes ASTRA-sim 1 227 825 cycles: two stages of two tensor ranks
// and two data ranks, two microbatches, on a ring of 8 (50 GB/s, 500 ns). Commits, build and options as in
// astra_sim_test.cpp, with --comm-group-configuration=comm_group.json as written. This is what its rules make
// of what the files say: of the ops that may go the lowest id, one of the host, one of compute and one
// communication at a time, receives apart; compute of nothing takes 1 ns; a ring of n ranks h hops apart
// sends m messages of h * 500 ns + bytes / 53.6870912, whole nanoseconds, with a delay before the first and
// behind each that is 10 in groups of comm_group.json, whatever "endpoint-delay" is.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/at.hpp"
#include "tests/support/chakra_files.hpp"
#include "trace_io/chakra/chakra_write.hpp"
#include "trace_io/format.hpp"

namespace echo::trace_io {
namespace {

using trace::GroupRole;
using trace::Node;
using trace::NodeKind;
using trace::Pass;

constexpr auto send_recv = ops::CollectiveKind::send_recv;
constexpr Bytes activations(1 << 20), gradients(1 << 22);

// Ops of one stage. Rank 0 of it is traced and stands for its four.
class Stage {
 public:
  explicit Stage(std::int32_t stage) : stage_(stage), first_group_(stage == 0 ? 0 : 2) {
    rank_.rank = 4 * stage;
    for (std::int32_t i = 0; i < 4; ++i) rank_.stands_for.push_back(rank_.rank + i);
  }
  std::int32_t forward(std::int32_t batch) {
    const std::int32_t in = stage_ == 1 ? hop(NodeKind::recv, 2, batch, {}) : -1;
    const std::int32_t first = compute(Pass::forward, 100'400'000, {in});
    const std::int32_t sum = add({.kind = NodeKind::collective,
                                  .collective = ops::CollectiveKind::all_reduce,
                                  .stream = 1,
                                  .group = first_group_,
                                  .bytes = activations},
                                 {first});
    const std::int32_t last = compute(Pass::forward, 50'400'000, {sum});
    if (stage_ == 0) hop(NodeKind::send, 2, batch, {last});
    return last;
  }
  std::int32_t backward(std::int32_t batch, std::int32_t of) {
    const std::int32_t in = stage_ == 0 ? hop(NodeKind::recv, 3, 10 + batch, {}) : -1;
    const std::int32_t out = compute(Pass::backward, 200'000'000, {in, of});
    if (stage_ == 1) hop(NodeKind::send, 3, 10 + batch, {out});
    return out;
  }
  trace::RankTrace end(std::int32_t last) {
    const std::int32_t sum = add({.kind = NodeKind::collective,
                                  .collective = ops::CollectiveKind::reduce_scatter,
                                  .stream = 4,
                                  .group = 4 + first_group_,
                                  .bytes = gradients},
                                 {last});
    add({.kind = NodeKind::wait, .duration = SimTime::zero()}, {sum});
    compute(Pass::optimizer, 30'000'000, {});
    return rank_;
  }

 private:
  std::int32_t add(Node node, std::initializer_list<std::int32_t> needs) {
    node.id = static_cast<std::int64_t>(rank_.nodes.size());
    rank_.nodes.push_back(node);
    for (const std::int32_t earlier : needs)
      if (earlier >= 0) rank_.needs.push(earlier);
    rank_.needs.close_row(), rank_.follows.close_row();
    return static_cast<std::int32_t>(node.id);
  }
  std::int32_t compute(Pass pass, std::int64_t picoseconds, std::initializer_list<std::int32_t> needs) {
    return add({.kind = NodeKind::compute, .pass = pass, .duration = SimTime(picoseconds)}, needs);
  }
  std::int32_t hop(NodeKind kind, std::int32_t stream, std::int64_t tag,
                   std::initializer_list<std::int32_t> needs) {
    return add({.kind = kind,
                .collective = send_recv,
                .stream = stream,
                .group = 8,
                .peer = stage_ == 0 ? 4 : 0,
                .tag = tag,
                .bytes = activations},
               needs);
  }
  std::int32_t stage_, first_group_;
  trace::RankTrace rank_;
};

trace::Trace two_stages() {
  trace::Trace out;
  out.name = "step";
  out.world = 8;
  out.names = {"op"};
  for (const std::int32_t first : {0, 2, 4, 6})
    out.groups.push_back({"tp" + std::to_string(first), GroupRole::tensor, {first, first + 1}});
  for (const std::int32_t first : {0, 1, 4, 5})
    out.groups.push_back({"dp" + std::to_string(first), GroupRole::data, {first, first + 2}});
  for (const std::int32_t first : {0, 1, 2, 3})
    out.groups.push_back({"pp" + std::to_string(first), GroupRole::pipeline, {first, first + 4}});
  Stage front(0), back(1);
  const std::int32_t f0 = front.forward(0), f1 = front.forward(1);
  front.backward(0, f0);
  out.ranks.push_back(front.end(front.backward(1, f1)));
  back.backward(0, back.forward(0));
  out.ranks.push_back(back.end(back.backward(1, back.forward(1))));
  return out;
}

// ASTRA-sim's rules, nanosecond by nanosecond, for groups of two ranks that come at the same time.
class Rules {
 public:
  explicit Rules(const trace::Trace& trace) : trace_(trace) {
    for (const trace::RankTrace& rank : trace.ranks) done_.emplace_back(rank.nodes.size(), -1);
  }
  std::int64_t run() {
    std::int64_t now = 0, end = 0;
    while (now >= 0) {
      for (bool again = true; again;) {
        again = false;
        for (std::size_t r = 0; r < done_.size(); ++r) again = issue(r, now) || again;
      }
      now = next_after(now);
      end = std::max(end, now);
    }
    return end;
  }
  [[nodiscard]] bool is_over() const {
    return std::none_of(done_.begin(), done_.end(),
                        [](const auto& rank) { return std::count(rank.begin(), rank.end(), -1) > 0; });
  }

 private:
  static std::int64_t message(std::int64_t hops, std::int64_t bytes) {
    return hops * 500 + static_cast<std::int64_t>(static_cast<double>(bytes) / 53.6870912);
  }
  [[nodiscard]] std::int64_t time_of(const Node& node) const {
    if (node.kind == NodeKind::send) return message(4, node.bytes.value);
    if (node.kind != NodeKind::collective) return std::max<std::int64_t>(1, node.duration.count() / 1000);
    const auto& ranks = trace_.groups[at(node.group)].ranks;
    const std::int64_t rounds = node.collective == ops::CollectiveKind::all_reduce ? 2 : 1;
    return rounds * message(ranks[1] - ranks[0], node.bytes.value / 2) + (rounds + 1) * 10;
  }
  // Where the send of a receive arrives; -1: not sent yet.
  [[nodiscard]] std::int64_t arrival(std::size_t to, const Node& receive) const {
    const auto& from = trace_.ranks[at(receive.peer)];
    for (std::size_t i = 0; i < from.nodes.size(); ++i)
      if (from.nodes[i].kind == NodeKind::send && from.nodes[i].tag == receive.tag &&
          from.nodes[i].peer == static_cast<std::int32_t>(to))
        return done_[at(receive.peer)][i];
    return -1;
  }
  [[nodiscard]] bool may_go(std::size_t r, std::int32_t i, std::int64_t now) const {
    const trace::RankTrace& rank = trace_.ranks[r];
    for (const Csr<std::int32_t>* rows : {&rank.needs, &rank.follows})
      for (const std::int32_t earlier : rows->row(i)) {
        const std::int64_t end = done_[r][at(earlier)];
        if (end < 0 || end > now) return false;
      }
    return true;
  }
  // When the next op ends; -1: none is under way.
  [[nodiscard]] std::int64_t next_after(std::int64_t now) const {
    std::int64_t next = -1;
    for (const auto& rank : done_)
      for (const std::int64_t end : rank)
        if (end > now && (next < 0 || end < next)) next = end;
    return next;
  }
  bool issue(std::size_t r, std::int64_t now) {
    bool any = false;
    const auto& nodes = trace_.ranks[r].nodes;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(nodes.size()); ++i) {
      const Node& node = nodes[at(i)];
      std::int64_t& end = done_[r][at(i)];
      const int unit = node.kind == NodeKind::wait ? 0 : node.kind == NodeKind::compute ? 1 : 2;
      std::int64_t& busy = busy_[{r, unit}];
      const bool receives = node.kind == NodeKind::recv;
      if (end >= 0 || !may_go(r, i, now) || (!receives && busy > now)) continue;
      if (receives && arrival(r, node) < 0) continue;
      end = receives ? std::max(now, arrival(r, node)) : now + time_of(node);
      if (!receives) busy = end;
      any = true;
    }
    return any;
  }
  const trace::Trace& trace_;
  std::vector<std::vector<std::int64_t>> done_;  // [ranks][nodes] when it ends; -1: not issued
  std::map<std::pair<std::size_t, int>, std::int64_t> busy_;
};

// As ASTRA-sim reads it: ours keeps what microseconds cannot say in attributes of its own.
void take_microseconds(const std::filesystem::path& folder, trace::Trace& trace) {
  for (trace::RankTrace& rank : trace.ranks) {
    MessageStream stream((folder / ("step." + std::to_string(rank.rank) + ".et")).string());
    std::string bytes;
    ASSERT_TRUE(stream.next(bytes));
    for (Node& node : rank.nodes) {
      ChakraProtoMsg::Node message;
      ASSERT_TRUE(stream.next(bytes) && message.ParseFromString(bytes));
      node.duration = SimTime(1'000'000 * static_cast<std::int64_t>(message.duration_micros()));
    }
  }
}

TEST(AstraSimStep, TakesTheCyclesThatItPrints) {
  const testing::TempFolder folder;
  write_chakra(two_stages(), folder.path.string());
  trace::Trace written = read_trace({folder.path.string(), {}}, "chakra");
  ASSERT_NO_FATAL_FAILURE(take_microseconds(folder.path, written));
  Rules rules(written);
  EXPECT_EQ(rules.run(), 1'227'825);
  EXPECT_TRUE(rules.is_over());
}

}  // namespace
}  // namespace echo::trace_io
