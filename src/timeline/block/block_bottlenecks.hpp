// Tracks the bottlenecks of a composition (the rule is in block.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "timeline/block/block_recurrence.hpp"

namespace echo::timeline {

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
