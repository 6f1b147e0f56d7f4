// One block of ops on one GPU.
//
// Problem. A GPU runs one compute stream and a few communication streams. Each runs its ops in launch order;
// an op also waits for the ops it needs. While a kernel and a collective run side by side both slow down.
//
// Idea. Between two op ends nothing changes, so time advances from end to end. No event queue: at most one op
// per lane runs, so the next end is a minimum over five numbers.
//
// Formula. Kernel k beside collectives C runs at rate 1 / max over c in C of kernel_factor[k][c]; each
// collective at rate 1 / collective_factor[k][c]. Every op keeps its remaining work `left` in picoseconds of
// undisturbed time. Its end, if nothing changed, is round(left * factor) ahead. The step dt is the least of
// these; the ops that reach it end, every other running op loses round(dt / factor) of its work (never more
// than it has left). Each step ends at least one op, so there are at most as many steps as ops. Only a
// product, a quotient and their rounding touch doubles, hence the same picosecond from every compiler; a
// factor of exactly 1 never leaves the integers, so without overlap (or without slowdown) the result is the
// plain recurrence end = max(end of the needs, end of the lane) + alone. An op lasts at least its alone time:
// round(dt / factor) <= dt for factor >= 1, so the stretch is never negative.
//
// The block ends with its compute lane. Communication that no kernel waits for runs on past it (`lag`).
// Compute waiting is charged to the latest-ending needed op, the first of them in the row on a tie.
//
// Paths. By driver, the derivative is carried along: every op keeps the drivers of the work it has left, and
// `now` those of the time that passed; a step dt of the op that ends has the drivers of that op's work left
// times its factor, and takes from the others as it takes from their work. The makespan is homogeneous in the
// alone times, so the drivers of `now` sum to it but for roundings, and are its derivatives with the factors
// held. By part, block_path.cpp walks back over starts and ends, to the picosecond.
//
// Neglected: collectives do not slow each other, several collectives beside a kernel cost it no more than the
// worst of them, and every op starts the moment it may (launch cost is part of the alone times).
#include "timeline/block.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "base/contract.hpp"
#include "timeline/block_path.hpp"

namespace echo::timeline {
namespace {

constexpr std::size_t compute = static_cast<std::size_t>(Lane::compute);

// Of lanes that may go on after the block; null for the others.
LanePaths* paths_of(std::size_t lane, BlockPaths& paths) {
  if (lane == static_cast<std::size_t>(Lane::data)) return &paths.data;
  return lane == static_cast<std::size_t>(Lane::host) ? &paths.host : nullptr;
}
constexpr std::size_t lanes = static_cast<std::size_t>(lane_count);

constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Half away from zero for 0 <= x < 2^52, as std::llround, without the call: x - n is exact there.
std::int64_t round_nearest(double x) {
  const auto n = static_cast<std::int64_t>(x);
  return n + (x - static_cast<double>(n) >= 0.5 ? 1 : 0);
}

constexpr SimTime not_ended{-1};

struct LaneState {
  std::int32_t op = -1;         // head: running, or waiting to start; -1 when the lane is done
  std::int32_t waits_for = -1;  // an op seen not to have ended that the waiting head needs
  std::int64_t alone = 0;       // of the running op, ps
  std::int64_t left = 0;        // its remaining work, ps of undisturbed time
  std::int64_t ahead = 0;       // ps until it ends at its present rate
  double factor = 1.0;
  SimTime start{}, end{};  // start of the running op, end of the one before
};

// What the drivers of a composition are kept in; nothing where nobody asks.
struct NoDrivers {};
struct DriverState {
  std::span<const DriverTimes> alone;
  BlockPaths* paths = nullptr;
  DriverTimes now;
  std::array<DriverTimes, lanes> left, started;
};

template <class Drivers>
class Composer {
  static constexpr bool has_drivers = !std::is_same_v<Drivers, NoDrivers>;

 public:
  Composer(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
           BlockScratchData& scratch, Drivers drivers)
      : graph_(graph), alone_(alone.data()), works_(alone.size()), factors_(factors), drivers_(drivers) {
    const std::size_t ops = graph.lane.size();
    scratch.start.resize(ops);
    scratch.end.assign(ops, not_ended);
    scratch.next.resize(ops);
    start_ = scratch.start.data(), end_ = scratch.end.data(), next_ = scratch.next.data();
    for (std::size_t i = ops; i-- > 0;) {
      std::int32_t& head = lane_[static_cast<std::size_t>(graph.lane[i])].op;
      next_[i] = head;
      head = static_cast<std::int32_t>(i);
    }
  }

  BlockTimes run() {
    for (std::size_t l = 0; l < lanes; ++l) {
      if (lane_[l].op < 0) continue;
      waiting_ |= 1U << l;
      unopened_ |= 1U << l;
    }
    start_heads();
    while (running_ != 0) step();
    ECHO_EXPECT(waiting_ == 0);  // needs point backwards only
    out_.makespan = lane_[compute].end;
    out_.compute_busy = out_.busy[compute];
    out_.exposed[static_cast<std::size_t>(Part::slowdown)] += out_.slowdown_penalty;
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
      if (lane.waits_for >= 0 && end_[at(lane.waits_for)] == not_ended) continue;
      const auto needs = graph_.needs->row(lane.op);
      const auto missing = std::find_if(needs.begin(), needs.end(),
                                        [this](std::int32_t need) { return end_[at(need)] == not_ended; });
      if (missing != needs.end()) {
        lane.waits_for = *missing;
      } else {
        start(l, needs);
      }
    }
  }

  void start(std::size_t l, std::span<const std::int32_t> needs) {
    LaneState& lane = lane_[l];
    const unsigned bit = 1U << l;
    if (l == compute && now_ > lane.end) charge_wait(needs, now_ - lane.end);
    const std::size_t work = at(graph_.work[at(lane.op)]);
    ECHO_EXPECT(work < works_);
    if constexpr (has_drivers) start_drivers(l, work);
    if ((unopened_ & bit) != 0) out_.first_start[l] = now_, unopened_ &= ~bit;
    start_[at(lane.op)] = lane.start = now_;
    lane.alone = lane.left = alone_[work].count();
    lane.waits_for = -1;
    waiting_ &= ~bit;
    running_ |= bit;
  }

  void start_drivers(std::size_t l, std::size_t work) {
    drivers_.left[l] = drivers_.alone[work];
    LanePaths* const paths = paths_of(l, *drivers_.paths);
    if (paths == nullptr) return;
    drivers_.started[l] = drivers_.now;
    if ((unopened_ >> l & 1U) != 0) paths->start.driver = drivers_.now;
  }

  // Time until lane `ended` ends passes.
  void pass(std::size_t ended) {
    const DriverTimes left = drivers_.left[ended];
    const double factor = running_ == 1U << ended || (running_ & 1U) == 0 ? 1.0 : lane_[ended].factor;
    drivers_.now.add(left, factor);
    each_running([&](std::size_t l) {
      if (l == ended) return;
      const double own = (running_ & 1U) == 0 ? 1.0 : lane_[l].factor;
      drivers_.left[l].add(left, -factor / own);
    });
  }

  void finish_drivers(std::size_t l) {
    if (l == compute) drivers_.paths->makespan.driver = drivers_.now;
    LanePaths* const paths = paths_of(l, *drivers_.paths);
    if (paths == nullptr) return;
    paths->end.driver = drivers_.now;
    paths->busy.driver.add(drivers_.now, 1.0);
    paths->busy.driver.add(drivers_.started[l], -1.0);
  }

  void charge_wait(std::span<const std::int32_t> needs, SimTime wait) {
    const auto last = std::max_element(needs.begin(), needs.end(), [this](std::int32_t a, std::int32_t b) {
      return end_[at(a)] < end_[at(b)];
    });
    ECHO_EXPECT(last != needs.end());
    out_.exposed[static_cast<std::size_t>(graph_.part[at(*last)])] += wait;
  }

  // Advances to the next op end, ends what ends there and starts what that releases.
  void step() {
    if ((running_ & (running_ - 1)) == 0) {
      const auto l = static_cast<std::size_t>(std::countr_zero(running_));
      now_ += SimTime(lane_[l].left);
      if constexpr (has_drivers) pass(l);
      finish(l);
    } else if ((running_ & 1U) == 0) {
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
    if constexpr (has_drivers) pass(ended);
    each_running([&](std::size_t l) {
      lane_[l].left -= dt;
      if (lane_[l].left == 0) finish(l);
    });
  }

  void step_disturbed() {
    set_factors();
    std::int64_t dt = INT64_MAX;
    std::size_t ended = 0;
    each_running([&](std::size_t l) {
      LaneState& lane = lane_[l];
      lane.ahead =
          lane.factor == 1.0 ? lane.left : round_nearest(static_cast<double>(lane.left) * lane.factor);
      if (lane.ahead < dt) dt = lane.ahead, ended = l;
    });
    now_ += SimTime(dt);
    if constexpr (has_drivers) pass(ended);
    each_running([&](std::size_t l) {
      LaneState& lane = lane_[l];
      if (lane.ahead == dt) {
        finish(l);
      } else {
        lane.left -= lane.factor == 1.0 ? dt : round_nearest(static_cast<double>(dt) / lane.factor);
      }
    });
  }

  void set_factors() {
    const std::int32_t kernel = graph_.work[at(lane_[compute].op)];
    ECHO_EXPECT(kernel < factors_.kernels);
    const std::size_t row = at(kernel) * at(factors_.collectives);
    double worst = 1.0;
    each_running([&](std::size_t l) {
      if (l == compute) return;
      const std::int32_t collective = graph_.work[at(lane_[l].op)] - factors_.kernels;
      ECHO_EXPECT(collective >= 0 && collective < factors_.collectives);
      worst = std::max(worst, factors_.kernel_factor[row + at(collective)]);
      lane_[l].factor = factors_.collective_factor[row + at(collective)];
    });
    lane_[compute].factor = worst;
  }

  void finish(std::size_t l) {
    LaneState& lane = lane_[l];
    const std::size_t op = at(lane.op);
    const SimTime duration = now_ - lane.start;
    out_.busy[l] += duration;
    if constexpr (has_drivers) finish_drivers(l);
    if (l == compute) {
      out_.exposed[static_cast<std::size_t>(graph_.part[op])] += SimTime(lane.alone);
      out_.slowdown_penalty += duration - SimTime(lane.alone);
    }
    end_[op] = lane.end = now_;
    lane.op = next_[op];
    running_ &= ~(1U << l);
    if (lane.op >= 0) waiting_ |= 1U << l;
  }

  const OpGraphView& graph_;
  const SimTime* alone_;
  std::size_t works_;
  const FactorTable& factors_;
  [[no_unique_address]] Drivers drivers_;
  SimTime *start_ = nullptr, *end_ = nullptr;  // [ops]
  std::int32_t* next_ = nullptr;               // [ops]
  std::array<LaneState, lanes> lane_{};
  unsigned running_ = 0, waiting_ = 0, unopened_ = 0;  // sets of lanes, one bit each
  SimTime now_{};
  BlockTimes out_{};
};

// Where no rate can change, each op's times follow from earlier ops' alone: one pass in launch order.
template <class Drivers>
BlockTimes recurrence(const OpGraphView& graph, std::span<const SimTime> alone, BlockScratchData& scratch,
                      Drivers drivers) {
  constexpr bool has_drivers = !std::is_same_v<Drivers, NoDrivers>;
  const std::size_t ops = graph.lane.size();
  std::array<std::int32_t, lanes> lane_last;
  lane_last.fill(-1);
  if constexpr (has_drivers) scratch.driver.resize(ops);
  scratch.start.resize(ops);
  scratch.end.resize(ops);
  BlockTimes out;
  std::array<SimTime, lanes> lane_end{};
  unsigned opened = 0;
  for (std::size_t i = 0; i < ops; ++i) {
    const auto l = static_cast<std::size_t>(graph.lane[i]);
    ECHO_EXPECT(at(graph.work[i]) < alone.size());
    const SimTime duration = alone[at(graph.work[i])];
    SimTime start = lane_end[l];
    std::int32_t last = -1;
    for (const std::int32_t need : graph.needs->row(static_cast<std::int32_t>(i))) {
      ECHO_EXPECT(at(need) < i);
      if (scratch.end[at(need)] > start) start = scratch.end[at(need)], last = need;
    }
    if (l == compute) {
      if (last >= 0) out.exposed[static_cast<std::size_t>(graph.part[at(last)])] += start - lane_end[l];
      out.exposed[static_cast<std::size_t>(graph.part[i])] += duration;
    }
    if constexpr (has_drivers) {
      DriverTimes& path = scratch.driver[i];
      const std::int32_t cause = last >= 0 ? last : lane_last[l];
      path = cause >= 0 ? scratch.driver[at(cause)] : DriverTimes{};
      LanePaths* const paths = paths_of(l, *drivers.paths);
      if (paths != nullptr && lane_last[l] < 0) paths->start.driver = path;
      path.add(drivers.alone[at(graph.work[i])], 1.0);
      if (paths != nullptr) {
        paths->busy.driver.add(drivers.alone[at(graph.work[i])], 1.0);
        paths->end.driver = path;
      }
      lane_last[l] = static_cast<std::int32_t>(i);
    }
    if ((opened >> l & 1U) == 0) out.first_start[l] = start, opened |= 1U << l;
    out.busy[l] += duration;
    scratch.start[i] = start;
    scratch.end[i] = lane_end[l] = start + duration;
  }
  if constexpr (has_drivers) {
    if (lane_last[compute] >= 0) drivers.paths->makespan.driver = scratch.driver[at(lane_last[compute])];
  }
  out.makespan = lane_end[compute];
  out.compute_busy = out.busy[compute];
  for (std::size_t l = 0; l < lanes; ++l) out.lag[l] = std::max(SimTime::zero(), lane_end[l] - out.makespan);
  return out;
}

bool rates_may_change(const OpGraphView& graph, const FactorTable& factors) {
  return !factors.kernel_factor.empty() &&
         std::any_of(graph.lane.begin(), graph.lane.end(), [](Lane lane) { return lane != Lane::compute; });
}

template <class Drivers>
BlockTimes compose(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                   BlockScratchData& scratch, Drivers drivers) {
  ECHO_EXPECT(graph.needs != nullptr && at(graph.needs->rows()) == graph.lane.size());
  ECHO_EXPECT(graph.part.size() == graph.lane.size() && graph.work.size() == graph.lane.size());
  return rates_may_change(graph, factors) ? Composer(graph, alone, factors, scratch, drivers).run()
                                          : recurrence(graph, alone, scratch, drivers);
}

}  // namespace

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch) {
  return compose(graph, alone, factors, scratch, NoDrivers{});
}

BlockTimes compose_block(const OpGraphView& graph, std::span<const SimTime> alone, const FactorTable& factors,
                         BlockScratchData& scratch, std::span<const DriverTimes> drivers, BlockPaths& paths) {
  ECHO_EXPECT(drivers.size() == alone.size());
  paths = {};
  DriverState state;
  state.alone = drivers;
  state.paths = &paths;
  const BlockTimes times = compose(graph, alone, factors, scratch, state);
  part_paths(graph, alone, scratch, paths);
  return times;
}

}  // namespace echo::timeline
