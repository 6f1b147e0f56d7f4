// Random traces, a pure function of their number: several ranks, groups of any role, kernels with and without
// shape, times, bytes and arithmetic, messages, launches, gaps and waits. Ranks that meet do so in one order.
#pragma once

#include <algorithm>
#include <string>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "tests/support/sample_trace.hpp"

namespace echo::support {

class RandomTracedStep {
 public:
  explicit RandomTracedStep(std::uint64_t number) : number_(number), ranks_(1 + pick(4)) {
    world_ = ranks_ * (1 + pick(3));
    TraceMaker maker(world_, pick(3) == 0 ? "" : pick(2) == 0 ? "h100-sxm" : "a100-sxm-80gb");
    for (std::int32_t i = 0, groups = 1 + pick(4); i < groups; ++i) add_group(maker, i);
    for (std::int32_t i = 0; i < 3; ++i) kernels_.push_back(maker.kernel(sample_gemm(512 << pick(4))));
    nodes_.resize(at(ranks_));
    for (std::int32_t i = 0, rounds = pick(40); i < rounds; ++i) add_round();
    const std::int32_t stride = world_ / ranks_;
    for (std::int32_t r = 0; r < ranks_; ++r) {
      std::vector<std::int32_t> stands_for;
      for (std::int32_t i = 0; i < stride; ++i) stands_for.push_back(r * stride + i);
      maker.rank(r * stride, stands_for);
      maker.add({.pass = trace::Pass::forward, .kernel = kernels_[0], .duration = SimTime(1'000'000)});
      for (const trace::Node& node : nodes_[at(r)]) {
        std::vector<std::int32_t> needs;
        const auto count = static_cast<std::int32_t>(maker.made().ranks.back().nodes.size());
        for (std::int32_t n = pick(3); n > 0; --n) needs.push_back(pick(count));
        maker.add(node, needs);
      }
    }
    made = maker.made();
  }
  [[nodiscard]] std::string describe() const { return "trace " + std::to_string(number_); }

  trace::Trace made;

 private:
  // Of ranks a stride apart, the traced ones among them or not.
  void add_group(TraceMaker& maker, std::int32_t number) {
    std::vector<std::int32_t> members;
    const std::int32_t every = 1 + pick(world_);
    for (std::int32_t rank = pick(every); rank < world_; rank += every) members.push_back(rank);
    groups_.push_back(members);
    maker.group("group" + std::to_string(number), static_cast<trace::GroupRole>(pick(7)), std::move(members));
  }
  // One op of one rank, or a collective or message of all that take part.
  void add_round() {
    const std::int32_t kind = pick(8), stride = world_ / ranks_;
    if (kind == 0) {
      trace::Node node = communication(trace::NodeKind::collective);
      node.collective = static_cast<ops::CollectiveKind>(pick(6));
      node.group = pick(static_cast<std::int32_t>(groups_.size()));
      const auto& members = groups_[at(node.group)];
      for (std::int32_t r = 0; r < ranks_; ++r)
        if (std::find(members.begin(), members.end(), r * stride) != members.end()) push(r, node);
    } else if (kind == 1 && ranks_ > 1) {
      const std::int32_t from = pick(ranks_), to = (from + 1 + pick(ranks_ - 1)) % ranks_;
      trace::Node node = communication(trace::NodeKind::send);
      node.peer = to * stride, push(from, node);
      node.kind = trace::NodeKind::recv, node.peer = from * stride, push(to, node);
    } else {
      push(pick(ranks_), own_op());
    }
  }
  trace::Node communication(trace::NodeKind kind) {
    trace::Node node{.kind = kind, .stream = 1 + pick(2)};
    if (pick(4) != 0) node.bytes = Bytes(std::int64_t{1} << pick(28));
    if (pick(3) == 0) node.duration = SimTime(pick(100'000'000));
    return node;
  }
  trace::Node own_op() {
    trace::Node node;
    node.pass = static_cast<trace::Pass>(pick(5));
    if (pick(8) == 0) return node.kind = trace::NodeKind::wait, node;
    if (pick(8) == 0) node.kind = trace::NodeKind::memory;
    if (node.kind == trace::NodeKind::compute && pick(2) == 0) node.kernel = kernels_[at(pick(3))];
    if (pick(2) == 0) node.duration = SimTime(pick(100'000'000));
    if (pick(3) == 0) node.bytes = Bytes(pick(1 << 30));
    if (pick(3) == 0) node.flops = 1e9 * pick(1000);
    if (pick(4) == 0) node.gap = SimTime(pick(10'000'000));
    return node;
  }
  void push(std::int32_t rank, trace::Node node) {
    if (pick(10) == 0) node.stream = -1;
    nodes_[at(rank)].push_back(node);
  }
  std::int32_t pick(std::int32_t below) {
    return static_cast<std::int32_t>(draw(4715, number_, drawn_++) % static_cast<std::uint64_t>(below));
  }

  std::uint64_t number_, drawn_ = 0;
  std::int32_t ranks_ = 1, world_ = 1;
  std::vector<std::vector<std::int32_t>> groups_;
  std::vector<std::int32_t> kernels_;
  std::vector<std::vector<trace::Node>> nodes_;  // [ranks]
};

}  // namespace echo::support
