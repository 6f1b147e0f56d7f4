// Problem. Lanes run their ops in the order of their launch, so that a collective waits for all that were
// launched before it. ASTRA-sim's scheduling policy LIFO lets the one that was issued last go first
// (astra-sim/system/Sys.cc, insert_into_ready_list): weights that the next layer waits for overtake gradients
// that nobody waits for yet. Idea. Go from event to event with the times alone, let each queue choose, and
// note the order in which ops begin; whoever composes the block in that order gets the same times, and
// slowdown on top. Neglected: ASTRA-sim preempts a collective between two of its chunks; here it ends first.
// Under slowdown the order stays that of the undisturbed block.
#include "timeline/block/queue_order.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::timeline {
namespace {

class Queues {
 public:
  Queues(const OpGraphView& graph, std::span<const SimTime> alone) : graph_(graph), alone_(alone) {
    const auto ops = static_cast<std::int32_t>(graph.lane.size());
    missing_.resize(graph.lane.size()), ready_.resize(graph.lane.size());
    needed_by_.resize(graph.lane.size());
    for (const OpId op : ids<OpId>(ops)) {
      missing_[at(op)] = static_cast<std::int32_t>(graph.needs->row(op).size());
      for (const OpId need : graph.needs->row(op)) needed_by_[at(need)].push_back(op);
      LaneState& lane = lane_of(op);
      if (!is_queued(op)) lane.waiting.push_back(op);
    }
    for (const OpId op : ids<OpId>(ops))
      if (is_queued(op) && missing_[at(op)] == 0) lane_of(op).waiting.push_back(op);
    order_.reserve(graph.lane.size());
  }

  std::vector<OpId> run() {
    for (begin_ops(); end_ops(); begin_ops()) {
    }
    ECHO_EXPECT(order_.size() == graph_.lane.size());  // needs point backwards only
    return std::move(order_);
  }

 private:
  struct LaneState {
    std::vector<OpId> waiting;  // of a queue those that are ready, else all, in the order of launch
    std::size_t begun = 0;      // of those that are no queue
    OpId running;
    SimTime end{};
  };

  [[nodiscard]] static bool is_queue(Lane lane) { return lane != Lane::compute && lane != Lane::host; }
  [[nodiscard]] bool is_queued(OpId op) const { return is_queue(graph_.lane[at(op)]); }
  LaneState& lane_of(OpId op) { return lanes_[at(graph_.lane[at(op)])]; }

  // The op that an idle lane begins now, or none.
  OpId take(LaneState& lane, bool from_queue) {
    if (!from_queue) {
      if (lane.begun == lane.waiting.size() || missing_[at(lane.waiting[lane.begun])] > 0) return {};
      return lane.waiting[lane.begun++];
    }
    const auto next = std::max_element(lane.waiting.begin(), lane.waiting.end(), [this](OpId a, OpId b) {
      return ready_[at(a)] != ready_[at(b)] ? ready_[at(a)] < ready_[at(b)] : a > b;
    });
    if (next == lane.waiting.end()) return {};
    const OpId op = *next;
    lane.waiting.erase(next);
    return op;
  }

  void begin_ops() {
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      LaneState& lane = lanes_[l];
      if (!lane.running.is_none()) continue;
      lane.running = take(lane, is_queue(static_cast<Lane>(l)));
      if (lane.running.is_none()) continue;
      lane.end = now_ + alone_[at(graph_.work[at(lane.running)])];
      order_.push_back(lane.running);
    }
  }

  // Goes on to the next end; false where nothing runs.
  bool end_ops() {
    SimTime next = SimTime::max();
    for (const LaneState& lane : lanes_)
      if (!lane.running.is_none()) next = std::min(next, lane.end);
    if (next == SimTime::max()) return false;
    now_ = next;
    for (LaneState& lane : lanes_) {
      if (lane.running.is_none() || lane.end != now_) continue;
      for (const OpId op : needed_by_[at(lane.running)]) release(op);
      lane.running = OpId::none();
    }
    return true;
  }

  void release(OpId op) {
    if (--missing_[at(op)] > 0) return;
    ready_[at(op)] = now_;
    if (is_queued(op)) lane_of(op).waiting.push_back(op);
  }

  const OpGraphView& graph_;
  std::span<const SimTime> alone_;
  std::vector<std::int32_t> missing_;         // [ops] needs that have not ended
  std::vector<SimTime> ready_;                // [ops] when the last of them ended
  std::vector<std::vector<OpId>> needed_by_;  // [ops]
  std::array<LaneState, lane_count> lanes_;
  std::vector<OpId> order_;
  SimTime now_{};
};

}  // namespace

std::vector<OpId> order_newest_first(const OpGraphView& graph, std::span<const SimTime> alone) {
  return Queues(graph, alone).run();
}

}  // namespace echo::timeline
