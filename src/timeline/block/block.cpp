// One block of ops on one GPU.
//
// Problem. A GPU runs one compute stream and a few communication streams. Each runs its ops in launch order;
// an op also waits for the ops it needs. While a kernel and a collective run at the same time, both slow
// down.
//
// Idea. Between two op ends nothing changes, so time advances from end to end. No event queue is needed: at
// most one op per lane runs, so the next end is a minimum over five numbers.
//
// Formula. Kernel k beside collectives C runs at rate 1 / max over c in C of kernel_factor[k][c]; each
// collective at rate 1 / collective_factor[k][c]. Where collectives slow each other too (tables of losses),
// all losses add: the kernel's factor is 1 + sum over c in C of (kernel_factor[k][c] - 1), that of
// collective c is collective_factor[k][c] (1 without a kernel) + sum over the others d in C of its losses to
// d, in the order of the lanes. Every op keeps its remaining work `left` in picoseconds of undisturbed time.
// If nothing changes, it ends after round(left * factor). The step dt is the least of these; the ops that
// reach it end, and every other running op loses round(dt / factor) of its work (never more than it has
// left). Each step ends at least one op, so there are at most as many steps as ops. Only a product, a
// quotient and their rounding use doubles, hence every compiler gives the same picosecond; a factor of
// exactly 1 never leaves the integers, so without overlap (or without slowdown) the result is the plain
// recurrence end = max(end of the needs, end of the lane) + alone. An op lasts at least its alone time:
// round(dt / factor) <= dt for factor >= 1, so the stretch is never negative.
//
// The block ends with its compute lane. Communication that no kernel waits for continues after that end
// (`lag`). Time that compute waits is charged to the needed op that ends last, the first of them in the row
// on a tie.
//
// Paths. By driver, the derivative is carried along: every op keeps the drivers of the work it has left, and
// `now` those of the time that passed. A step dt has the drivers of the remaining work of the op that ends,
// times its factor; the drivers of the other ops decrease as their work does. The makespan is homogeneous in
// the alone times, so the bottlenecks of `now` sum to it up to rounding, and are its derivatives at constant
// factors. Losses vary: the loss of a to b is proportional to the time that a waits for the link and to the
// rate at which b does, by_link of a's time times by_link of b's, so that a loss of a to b on link D depends
// on D twice, minus the bottlenecks of b as a whole. A kernel's wait for memory under load is proportional to
// the share of its time on the GPU that memory takes, and to the share of memory's bandwidth that b draws:
// beside its own bottlenecks it depends on memory once, minus those of the kernel without the host's, and
// once more on memory, minus the bottlenecks of b. With w = (factor - losses) alone(D) / alone + those, the
// rest of an op passes as left * w, and of one that continues, dt / factor is done, of which the factor's
// part is w - factor alone(D) / alone. By part, block_path.cpp walks back over starts and ends, to the
// picosecond.
//
// Neglected: without tables of losses collectives do not slow each other, and several beside a kernel slow
// it no more than the worst of them; with tables, the additional loss of three together beyond that of the
// pairs (network/shared_links.cpp gives its size). Every op starts as soon as it may (launch cost is part of
// the alone times).
#include "timeline/block/block.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "timeline/block/block_bottlenecks.hpp"
#include "timeline/block/block_path.hpp"
#include "timeline/block/block_recurrence.hpp"

namespace echo::timeline {
namespace {

constexpr std::size_t compute = static_cast<std::size_t>(Lane::compute);
constexpr std::size_t lanes = static_cast<std::size_t>(lane_count);

// Rounds half away from zero for 0 <= x < 2^52, as std::llround, without the call: x - n is exact there.
std::int64_t round_nearest(double x) {
  const auto n = static_cast<std::int64_t>(x);
  return n + (x - static_cast<double>(n) >= 0.5 ? 1 : 0);
}

constexpr SimTime not_ended{-1};

struct LaneState {
  OpId op;                 // head: running, or waiting to start; none when the lane is done
  OpId waits_for;          // an op seen not to have ended that the waiting head needs
  std::int64_t alone = 0;  // of the running op, ps
  std::int64_t left = 0;   // its remaining work, ps of undisturbed time
  std::int64_t ahead = 0;  // ps until it ends at its present rate
  double factor = 1.0;
  SimTime start{}, end{};  // start of the running op, end of the one before
};

template <class Drivers>
class Composer {
  static constexpr bool has_drivers = !std::is_same_v<Drivers, NoDrivers>;

 public:
  Composer(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
           BlockScratchData& scratch, Drivers bottlenecks)
      : graph_(graph), alone_(alone.data()), works_(alone.size()), factors_(factors), drivers_(bottlenecks) {
    const std::size_t ops = graph.lane.size();
    scratch.start.resize(ops);
    scratch.end.assign(ops, not_ended);
    scratch.next.resize(ops);
    scratch.together = SimTime::zero();
    together_ = &scratch.together;
    start_ = scratch.start.data(), end_ = scratch.end.data(), next_ = scratch.next.data();
    for (std::size_t i = ops; i-- > 0;) {
      OpId& head = lane_[at(graph.lane[i])].op;
      next_[i] = head;
      head = OpId(static_cast<std::int32_t>(i));
    }
  }

  BlockTimes run() {
    for (std::size_t l = 0; l < lanes; ++l) {
      if (lane_[l].op.is_none()) continue;
      waiting_ |= 1U << l;
      unopened_ |= 1U << l;
    }
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

 private:
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
    if ((running_ & (running_ - 1)) == 0) {
      const auto l = static_cast<std::size_t>(std::countr_zero(running_));
      now_ += SimTime(lane_[l].left);
      pass(l, lane_[l].left, false);
      finish(l);
    } else if ((running_ & 1U) == 0 && factors_.scale_up_loss.empty()) {
      step_undisturbed();
    } else {
      step_disturbed();
    }
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
    *together_ += SimTime(dt);
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
    if (!factors_.scale_up_loss.empty()) add_losses();
    std::int64_t dt = INT64_MAX;
    std::size_t ended = 0;
    each_running([&](std::size_t l) {
      LaneState& lane = lane_[l];
      const double factor = lane.factor;
      lane.ahead = factor == 1.0 ? lane.left : round_nearest(static_cast<double>(lane.left) * factor);
      if (lane.ahead < dt) dt = lane.ahead, ended = l;
    });
    now_ += SimTime(dt);
    const unsigned collectives = running_ & ~1U;
    if ((collectives & (collectives - 1)) != 0) *together_ += SimTime(dt);
    pass(ended, dt, true);
    each_running([&](std::size_t l) {
      LaneState& lane = lane_[l];
      const double factor = lane.factor;
      if (lane.ahead == dt) {
        finish(l);
      } else {
        lane.left -= factor == 1.0 ? dt : round_nearest(static_cast<double>(dt) / factor);
      }
    });
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

  // Collectives that run at the same time.
  void add_losses() {
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
      lane_[l].factor += scale_up + scale_out;
    });
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
  SimTime* together_ = nullptr;
  std::array<LaneState, lanes> lane_{};
  unsigned running_ = 0, waiting_ = 0, unopened_ = 0;  // sets of lanes, one bit each
  SimTime now_{};
  BlockTimes out_{};
};

bool rates_may_change(const OpGraphView& graph, const FactorTable& factors) {
  if (factors.kernel_factor.empty() && factors.scale_up_loss.empty()) return false;
  return std::any_of(graph.lane.begin(), graph.lane.end(), [](Lane lane) { return lane != Lane::compute; });
}

void expect_whole(const OpGraphView& graph, const FactorTable& factors) {
  ECHO_EXPECT(graph.needs != nullptr && at(graph.needs->rows()) == graph.lane.size());
  ECHO_EXPECT(graph.part.size() == graph.lane.size() && graph.work.size() == graph.lane.size());
  ECHO_EXPECT(factors.scale_up_loss.size() == factors.scale_out_loss.size());
  ECHO_EXPECT(factors.load_loss.empty() || factors.kernel_factor.empty() ||
              factors.load_loss.size() == factors.kernel_factor.size());
}

}  // namespace

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch) {
  expect_whole(graph, factors);
  if (!rates_may_change(graph, factors)) return compose_undisturbed(graph, alone, scratch, {}, nullptr);
  return Composer(graph, alone, factors, scratch, NoDrivers{}).run();
}

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch, std::span<const BottleneckTimes> bottlenecks,
                         BlockPaths& paths) {
  ECHO_EXPECT(bottlenecks.size() == alone.size());
  expect_whole(graph, factors);
  paths = {};
  const BlockTimes times =
      rates_may_change(graph, factors)
          ? Composer(graph, alone, factors, scratch, BlockDrivers(bottlenecks, paths)).run()
          : compose_undisturbed(graph, alone, scratch, bottlenecks, &paths);
  part_paths(graph, alone, scratch, paths);
  return times;
}

}  // namespace echo::timeline
