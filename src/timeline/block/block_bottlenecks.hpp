// Tracks the bottlenecks of a composition (the rule is in block.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "timeline/block/block_recurrence.hpp"

namespace echo::timeline {

// How far a lane has come.
struct LaneState {
  OpId op;                 // head: running, or waiting to start; none when the lane is done
  OpId waits_for;          // an op seen not to have ended that the waiting head needs
  std::int64_t alone = 0;  // of the running op, ps
  std::int64_t left = 0;   // its remaining work, ps of undisturbed time
  std::int64_t ahead = 0;  // ps until it ends at its present rate
  double factor = 1.0;
  SimTime start{}, end{};  // start of the running op, end of the one before
};

class BlockDrivers {
 public:
  BlockDrivers(std::span<const BottleneckTimes> alone, BlockPaths& paths) : alone_(alone), paths_(&paths) {}
  // Goes on where another stands, whose paths so far are in `paths`.
  BlockDrivers(const BlockDrivers& other, BlockPaths& paths) : BlockDrivers(other) { paths_ = &paths; }

  void start(std::size_t lane, std::size_t work, SimTime alone, bool is_first) {
    Running& op = running_[lane];
    op.left = alone_[work];
    op.of_alone = &alone_[work];
    op.alone = static_cast<double>(alone.count());
    LanePaths* const own = paths_of(static_cast<Lane>(lane), *paths_);
    if (own == nullptr) return;
    op.started = now_;
    if (is_first) own->start.bottleneck = now_;
  }

  // Its losses to concurrent collectives, until the next call: in proportion to the rate of the collective
  // `beside` on the resource.
  void lose_nothing(std::size_t lane) {
    if (running_[lane].loss > 0.0) running_[lane].loss = 0.0, running_[lane].lost = {};
  }
  void lose(std::size_t lane, std::size_t beside, Bottleneck resource, double loss) {
    if (loss <= 0.0) return;
    Running& op = running_[lane];
    op.loss += loss;
    op.lost[resource] += loss;
    grow(op, running_[beside], resource, loss);
  }
  // The same for a kernel's wait for memory: the share of its time on the GPU that memory takes, times a
  // function of the rate of `beside`.
  void wait_for_memory(std::size_t lane, std::size_t beside, double loss) {
    Running& op = running_[lane];
    if (loss <= 0.0 || op.alone <= 0.0) return;
    op.loss += loss;
    op.lost.add(*op.of_alone, loss / op.alone);
    const double host = (*op.of_alone)[Bottleneck::host], on_gpu = op.alone - host;
    if (on_gpu > 0.0) {
      op.lost[Bottleneck::memory] += loss;
      op.lost.add(*op.of_alone, -loss / on_gpu);
      op.lost[Bottleneck::host] += loss * host / on_gpu;
    }
    grow(op, running_[beside], Bottleneck::memory, loss);
  }

  // Advances by the remaining work of `ended`. `left`: ps of undisturbed time; losses count in a factor above
  // 1.
  void pass(std::size_t ended, std::int64_t left, double factor) {
    ended_ = &running_[ended];
    factor_ = factor;
    has_moved_ = factor > 1.0 && ended_->loss > 0.0;
    now_.add(ended_->left, factor);
    if (!has_moved_) return;
    moved_ = {};
    add_moved(*ended_, static_cast<double>(left), moved_);
    now_.add(moved_, 1.0);
  }
  // The same time, dt, for a lane that continues.
  void take(std::size_t lane, std::int64_t dt, double factor) {
    Running& op = running_[lane];
    op.left.add(ended_->left, -factor_ / factor);
    if (has_moved_) op.left.add(moved_, -1.0 / factor);
    if (factor > 1.0) add_moved(op, static_cast<double>(dt) / (factor * factor), op.left);
  }

  // The same for a kernel and the only collective beside it, on `lane`, of which one ends; the kernel waits
  // for memory by `loss`. What their losses come to is written out here, so that each vector is read once.
  void pass_beside(std::size_t lane, double loss, const LaneState& kernel, const LaneState& collective) {
    Running &own = running_[static_cast<std::size_t>(Lane::compute)], &other = running_[lane];
    const bool kernel_ends = kernel.ahead <= collective.ahead;
    Running &ended = kernel_ends ? own : other, &rest = kernel_ends ? other : own;
    const double factor = kernel_ends ? kernel.factor : collective.factor;
    const double rest_rate = 1.0 / (kernel_ends ? collective.factor : kernel.factor);
    for (std::size_t i = 0; i < static_cast<std::size_t>(bottleneck_count); ++i) {
      const double passed = factor * ended.left.ps[i];
      now_.ps[i] += passed;
      rest.left.ps[i] -= passed * rest_rate;
    }
    if (loss <= 0.0 || own.alone <= 0.0 || kernel.factor <= 1.0) return;
    BottleneckTimes moved;  // of one unit of the kernel's work
    const double host = (*own.of_alone)[Bottleneck::host], on_gpu = own.alone - host;
    if (on_gpu > 0.0) {
      moved.add(*own.of_alone, -loss / on_gpu);
      moved[Bottleneck::host] += loss * host / on_gpu, moved[Bottleneck::memory] += loss;
    }
    if (other.alone > 0.0) {
      moved.add(*other.of_alone, -loss / other.alone);
      moved[Bottleneck::memory] += loss;
    }
    if (kernel_ends) {
      now_.add(moved, static_cast<double>(kernel.left));
      other.left.add(moved, -static_cast<double>(kernel.left) * rest_rate);
    } else {
      own.left.add(moved, static_cast<double>(collective.ahead) / (kernel.factor * kernel.factor));
    }
  }

  void finish(std::size_t lane) {
    if (lane == static_cast<std::size_t>(Lane::compute)) paths_->makespan.bottleneck = now_;
    LanePaths* const own = paths_of(static_cast<Lane>(lane), *paths_);
    if (own == nullptr) return;
    own->end.bottleneck = now_;
    own->busy.bottleneck.add(now_, 1.0);
    own->busy.bottleneck.add(running_[lane].started, -1.0);
  }

 private:
  struct Running {
    BottleneckTimes left, started, lost;
    const BottleneckTimes* of_alone = nullptr;
    double alone = 0.0, loss = 0.0;  // ps; as a share of it
  };

  // A loss that grows with the rate of `other` on the resource.
  static void grow(Running& op, const Running& other, Bottleneck resource, double loss) {
    if (other.alone <= 0.0) return;
    op.lost[resource] += loss;
    op.lost.add(*other.of_alone, -loss / other.alone);
  }

  // Bottlenecks of `work` ps of the op under its losses, instead of those of the op alone.
  static void add_moved(const Running& op, double work, BottleneckTimes& out) {
    if (op.loss <= 0.0 || op.alone <= 0.0) return;
    out.add(op.lost, work);
    out.add(*op.of_alone, -work * op.loss / op.alone);
  }

  std::span<const BottleneckTimes> alone_;
  BlockPaths* paths_;
  BottleneckTimes now_;
  const Running* ended_ = nullptr;  // of the elapsed interval: the op that ends it, ...
  double factor_ = 1.0;             // ... its factor, ...
  bool has_moved_ = false;          // ... and the part moved to shared links, if any
  BottleneckTimes moved_;
  std::array<Running, static_cast<std::size_t>(lane_count)> running_;
};

// Used when bottlenecks are not requested.
struct NoDrivers {};

}  // namespace echo::timeline
