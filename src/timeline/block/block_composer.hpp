// The composition of one block whose rates may change (the rules are in block.cpp), and how it stands
// halfway.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/block/block.hpp"
#include "timeline/block/block_bottlenecks.hpp"

namespace echo::timeline {

// Rounds half away from zero for 0 <= x < 2^52, as std::llround, without the call: x - n is exact there.
inline std::int64_t round_nearest(double x) {
  const auto n = static_cast<std::int64_t>(x);
  return n + (x - static_cast<double>(n) >= 0.5 ? 1 : 0);
}

inline constexpr SimTime not_ended{-1};

// How far two blocks have come that begin with the same ops, when the last of these on the compute lane ends.
template <class Drivers>
struct Halfway {
  OpId end_of;              // that op
  std::int32_t alike = 0;   // the ops that both begin with
  bool is_reached = false;  // with none of the others begun
  std::array<LaneState, static_cast<std::size_t>(lane_count)> lane{};
  unsigned running = 0, begun = 0;  // sets of lanes
  SimTime now{}, contended{};
  BlockTimes out{};
  BlockPaths paths;
  std::optional<Drivers> drivers;
};

template <class Drivers>
class Composer {
  static constexpr std::size_t compute = static_cast<std::size_t>(Lane::compute);
  static constexpr auto lanes = static_cast<std::size_t>(lane_count);
  static constexpr bool has_drivers = !std::is_same_v<Drivers, NoDrivers>;

 public:
  Composer(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
           BlockScratchData& scratch, Drivers bottlenecks)
      : graph_(graph), alone_(alone.data()), works_(alone.size()), factors_(factors), drivers_(bottlenecks) {
    scratch.end.clear();
    take_room(scratch, 0);
  }
  // For run_from.
  Composer(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
           BlockScratchData& scratch, Drivers bottlenecks, const Halfway<Drivers>& halfway)
      : graph_(graph), alone_(alone.data()), works_(alone.size()), factors_(factors), drivers_(bottlenecks) {
    scratch.end.resize(at(halfway.alike));
    for (std::size_t op = 0; op < scratch.end.size(); ++op) {
      const OpId head = halfway.lane[at(graph.lane[op])].op;
      if (!head.is_none() && op >= at(head)) scratch.end[op] = not_ended;
    }
    take_room(scratch, scratch.end.size());
  }

  BlockTimes run() {
    for (std::size_t l = 0; l < lanes; ++l) {
      if (lane_[l].op.is_none()) continue;
      waiting_ |= 1U << l;
      unopened_ |= 1U << l;
    }
    return run_on();
  }

  // The same, and notes how it stands halfway.
  BlockTimes run_noting(Halfway<Drivers>& halfway, const BlockPaths& paths) {
    halfway_ = &halfway, noted_paths_ = &paths;
    return run();
  }

  // The rest of another block. Contract: the scratch is as the first one's composition left it.
  BlockTimes run_from(const Halfway<Drivers>& halfway) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const OpId rest = std::exchange(lane_[l].op, OpId::none());
      const unsigned bit = 1U << l;
      lane_[l] = halfway.lane[l];
      if (lane_[l].op.is_none() || lane_[l].op.index() >= halfway.alike)
        lane_[l].op = rest, lane_[l].waits_for = OpId::none();
      if (lane_[l].op.is_none()) continue;
      if ((halfway.running & bit) == 0) waiting_ |= bit;
      if ((halfway.begun & bit) == 0) unopened_ |= bit;
    }
    running_ = halfway.running, now_ = halfway.now, out_ = halfway.out;
    *contended_ = halfway.contended;
    return run_on();
  }

 private:
  // Ops before `first` keep their times; the heads of the lanes are the first of the others.
  void take_room(BlockScratchData& scratch, std::size_t first) {
    const std::size_t ops = graph_.lane.size();
    scratch.start.resize(ops);
    scratch.end.resize(ops, not_ended);
    scratch.next.resize(ops);
    scratch.contended = SimTime::zero();
    contended_ = &scratch.contended;
    start_ = scratch.start.data(), end_ = scratch.end.data(), next_ = scratch.next.data();
    std::array<OpId, lanes> heads{};
    for (std::size_t i = ops; i-- > 0;) {
      OpId& head = heads[at(graph_.lane[i])];
      next_[i] = head;
      head = OpId(static_cast<std::int32_t>(i));
      if (i >= first) lane_[at(graph_.lane[i])].op = head;
    }
  }

  BlockTimes run_on() {
    start_heads();
    while (running_ != 0) step();
    ECHO_EXPECT(waiting_ == 0);  // needs point backwards only
    out_.makespan = lane_[compute].end;
    out_.compute_busy = out_.busy[compute];
    out_.exposed[at(TimeCategory::slowdown)] += out_.slowdown_penalty;
    for (std::size_t l = 0; l < lanes; ++l) {
      out_.lag[l] = std::max(SimTime::zero(), lane_[l].end - out_.makespan);
    }
    return out_;
  }

  void note_halfway() {
    Halfway<Drivers>& half = *std::exchange(halfway_, nullptr);
    half.lane = lane_, half.running = running_, half.now = now_, half.contended = *contended_,
    half.out = out_;
    half.drivers.emplace(drivers_);
    half.paths = *noted_paths_;
    half.is_reached = true;
    for (std::size_t op = 0; op < graph_.lane.size(); ++op) {
      const std::size_t l = at(graph_.lane[op]);
      const OpId head = lane_[l].op;
      const auto own = OpId(static_cast<std::int32_t>(op));
      const bool begun = head.is_none() || own < head || (own == head && (running_ >> l & 1U) != 0);
      if (begun && own.index() >= half.alike) half.is_reached = false;
      if (begun) half.begun |= 1U << l;
    }
  }

  // Starts every waiting head whose needs have all ended.
  void start_heads() {
    for (unsigned lanes_left = waiting_; lanes_left != 0; lanes_left &= lanes_left - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(lanes_left));
      LaneState& lane = lane_[l];
      if (!lane.waits_for.is_none() && end_[at(lane.waits_for)] == not_ended) continue;
      const auto needs = graph_.needs->row(lane.op);
      const auto missing =
          std::find_if(needs.begin(), needs.end(), [this](OpId need) { return end_[at(need)] == not_ended; });
      if (missing != needs.end()) {
        lane.waits_for = *missing;
      } else {
        start(l, needs);
      }
    }
  }

  void start(std::size_t l, std::span<const OpId> needs) {
    LaneState& lane = lane_[l];
    const unsigned bit = 1U << l;
    if (l == compute && now_ > lane.end) charge_wait(needs, now_ - lane.end);
    const std::size_t work = at(graph_.work[at(lane.op)]);
    ECHO_EXPECT(work < works_);
    if constexpr (has_drivers) drivers_.start(l, work, alone_[work], (unopened_ & bit) != 0);
    if ((unopened_ & bit) != 0) out_.first_start[l] = now_, unopened_ &= ~bit;
    start_[at(lane.op)] = lane.start = now_;
    lane.alone = lane.left = alone_[work].count();
    lane.waits_for = OpId::none();
    waiting_ &= ~bit;
    running_ |= bit;
  }

  // The time until lane `ended` ends passes; all ops run at their own rates, or at full ones.
  void pass(std::size_t ended, std::int64_t dt, bool disturbed) {
    if constexpr (has_drivers) {
      drivers_.pass(ended, lane_[ended].left, disturbed ? lane_[ended].factor : 1.0);
      each_running([&](std::size_t l) {
        if (l != ended) drivers_.take(l, dt, disturbed ? lane_[l].factor : 1.0);
      });
    }
  }

  void charge_wait(std::span<const OpId> needs, SimTime wait) {
    const auto last = std::max_element(needs.begin(), needs.end(),
                                       [this](OpId a, OpId b) { return end_[at(a)] < end_[at(b)]; });
    ECHO_EXPECT(last != needs.end());
    out_.exposed[at(graph_.part[at(*last)])] += wait;
  }

  // Advances to the next op end, ends the ops that end there and starts those that may then start.
  void step() {
    if ((running_ & 1U) != 0 && std::has_single_bit(running_ & ~1U) && !factors_.kernel_factor.empty()) {
      step_beside(static_cast<std::size_t>(std::countr_zero(running_ & ~1U)));
    } else if ((running_ & (running_ - 1)) == 0) {
      const auto l = static_cast<std::size_t>(std::countr_zero(running_));
      now_ += SimTime(lane_[l].left);
      pass(l, lane_[l].left, false);
      finish(l);
    } else if ((running_ & 1U) == 0 && factors_.scale_up_loss.empty()) {
      step_undisturbed();
    } else {
      step_disturbed();
    }
    if (halfway_ != nullptr && end_[at(halfway_->end_of)] != not_ended) note_halfway();
    start_heads();
  }

  template <class Visit>
  void each_running(Visit visit) {
    for (unsigned lanes_left = running_; lanes_left != 0; lanes_left &= lanes_left - 1) {
      visit(static_cast<std::size_t>(std::countr_zero(lanes_left)));
    }
  }

  void step_undisturbed() {
    std::int64_t dt = INT64_MAX;
    std::size_t ended = 0;
    each_running([&](std::size_t l) {
      if (lane_[l].left < dt) dt = lane_[l].left, ended = l;
    });
    now_ += SimTime(dt);
    pass(ended, dt, false);
    each_running([&](std::size_t l) {
      lane_[l].left -= dt;
      if (lane_[l].left == 0) finish(l);
    });
  }

  void step_disturbed() {
    if constexpr (has_drivers) each_running([&](std::size_t l) { drivers_.lose_nothing(l); });
    if ((running_ & 1U) != 0 && !factors_.kernel_factor.empty()) {
      set_factors();
    } else {
      each_running([&](std::size_t l) { lane_[l].factor = 1.0; });
    }
    const bool loses = !factors_.scale_up_loss.empty() && add_losses();
    std::int64_t dt = INT64_MAX;
    std::size_t ended = 0;
    each_running([&](std::size_t l) {
      LaneState& lane = lane_[l];
      lane.ahead = time_left(lane);
      if (lane.ahead < dt) dt = lane.ahead, ended = l;
    });
    now_ += SimTime(dt);
    if (loses) *contended_ += SimTime(dt);
    pass(ended, dt, true);
    each_running([&](std::size_t l) { go_on(l, dt); });
  }

  // A kernel beside one collective, as most steps are: the same without loops.
  void step_beside(std::size_t l) {
    LaneState &kernel = lane_[compute], &other = lane_[l];
    const std::size_t pair = at(graph_.work[at(kernel.op)]) * at(factors_.collectives) + collective_on(l);
    ECHO_EXPECT(is_kernel(graph_.work[at(kernel.op)], factors_.kernels));
    const double given = factors_.kernel_factor[pair];
    const bool all_add = !factors_.scale_up_loss.empty();
    kernel.factor = all_add ? 1.0 + (given - 1.0) : std::max(1.0, given);
    other.factor = factors_.collective_factor[pair];
    kernel.ahead = time_left(kernel), other.ahead = time_left(other);
    const std::int64_t dt = std::min(kernel.ahead, other.ahead);
    now_ += SimTime(dt);
    if constexpr (has_drivers) {
      const bool waits = !factors_.load_loss.empty() && (all_add || given > 1.0);
      drivers_.pass_beside(l, waits ? factors_.load_loss[pair] : 0.0, kernel, other);
    }
    go_on(compute, dt), go_on(l, dt);
  }

  // Until it ends at its present rate.
  static std::int64_t time_left(const LaneState& lane) {
    return lane.factor == 1.0 ? lane.left : round_nearest(static_cast<double>(lane.left) * lane.factor);
  }
  void go_on(std::size_t l, std::int64_t dt) {
    LaneState& lane = lane_[l];
    if (lane.ahead == dt)
      finish(l);
    else
      lane.left -= lane.factor == 1.0 ? dt : round_nearest(static_cast<double>(dt) / lane.factor);
  }

  [[nodiscard]] std::size_t collective_on(std::size_t l) const {
    const CollectiveId collective = collective_of(graph_.work[at(lane_[l].op)], factors_.kernels);
    ECHO_EXPECT(!collective.is_none() && collective.index() < factors_.collectives);
    return at(collective);
  }

  // A kernel and collectives that run at the same time.
  void set_factors() {
    const WorkId kernel = graph_.work[at(lane_[compute].op)];
    ECHO_EXPECT(is_kernel(kernel, factors_.kernels));
    const std::size_t row = at(kernel) * at(factors_.collectives);
    const bool all_add = !factors_.scale_up_loss.empty();
    double worst = 1.0, all = 1.0;
    std::size_t worst_lane = compute;
    each_running([&](std::size_t l) {
      if (l == compute) return;
      const std::size_t collective = row + collective_on(l);
      if (factors_.kernel_factor[collective] > worst)
        worst = factors_.kernel_factor[collective], worst_lane = l;
      all += factors_.kernel_factor[collective] - 1.0;
      lane_[l].factor = factors_.collective_factor[collective];
    });
    lane_[compute].factor = all_add ? all : worst;
    if constexpr (has_drivers) {
      if (factors_.load_loss.empty()) return;
      each_running([&](std::size_t l) {
        if (l != compute && (all_add || l == worst_lane))
          drivers_.wait_for_memory(compute, l, factors_.load_loss[row + collective_on(l)]);
      });
    }
  }

  // Collectives that run at the same time; whether that makes any difference, in the rates or, beside a
  // kernel, in what bounds it.
  bool add_losses() {
    const unsigned collectives = running_ & ~1U;
    const bool meet = (collectives & (collectives - 1)) != 0;
    bool loses = meet && collectives != running_ && !factors_.kernel_factor.empty();
    each_running([&](std::size_t l) {
      if (l == compute) return;
      const std::size_t row = collective_on(l) * at(factors_.collectives);
      double scale_up = 0.0, scale_out = 0.0;
      each_running([&](std::size_t other) {
        if (other == compute || other == l) return;
        const std::size_t beside = row + collective_on(other);
        scale_up += factors_.scale_up_loss[beside];
        scale_out += factors_.scale_out_loss[beside];
        if constexpr (has_drivers) {
          drivers_.lose(l, other, Bottleneck::scale_up, factors_.scale_up_loss[beside]);
          drivers_.lose(l, other, Bottleneck::scale_out, factors_.scale_out_loss[beside]);
        }
      });
      loses = loses || scale_up + scale_out > 0.0;
      lane_[l].factor += scale_up + scale_out;
    });
    return loses;
  }

  void finish(std::size_t l) {
    LaneState& lane = lane_[l];
    const std::size_t op = at(lane.op);
    const SimTime duration = now_ - lane.start;
    out_.busy[l] += duration;
    if constexpr (has_drivers) drivers_.finish(l);
    if (l == compute) {
      out_.exposed[at(graph_.part[op])] += SimTime(lane.alone);
      out_.slowdown_penalty += duration - SimTime(lane.alone);
    }
    end_[op] = lane.end = now_;
    lane.op = next_[op];
    running_ &= ~(1U << l);
    if (!lane.op.is_none()) waiting_ |= 1U << l;
  }

  const OpGraphView& graph_;
  const SimTime* alone_;
  std::size_t works_;
  const FactorTable& factors_;
  [[no_unique_address]] Drivers drivers_;
  SimTime *start_ = nullptr, *end_ = nullptr;  // [ops]
  OpId* next_ = nullptr;                       // [ops]
  SimTime* contended_ = nullptr;
  std::array<LaneState, lanes> lane_{};
  unsigned running_ = 0, waiting_ = 0, unopened_ = 0;  // sets of lanes, one bit each
  SimTime now_{};
  BlockTimes out_{};
  Halfway<Drivers>* halfway_ = nullptr;  // to note
  const BlockPaths* noted_paths_ = nullptr;
};

// Whether any op can slow another, and what compose_block promises of its arguments.
[[nodiscard]] bool rates_may_change(const OpGraphView&, const FactorTable&);
void expect_whole(const OpGraphView&, const FactorTable&);

}  // namespace echo::timeline
