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

  // Its losses to concurrent collectives, until the next call.
  void lose_nothing(std::size_t lane) { running_[lane].loss = 0.0, running_[lane].lost = {}; }
  void lose(std::size_t lane, std::size_t beside, Bottleneck link, double loss) {
    if (loss <= 0.0) return;
    Running& op = running_[lane];
    const Running& other = running_[beside];
    op.loss += loss;
    op.lost[link] += other.alone > 0.0 ? 2.0 * loss : loss;
    if (other.alone > 0.0) op.lost.add(*other.of_alone, -loss / other.alone);
  }

  // Advances by the remaining work of `ended`. `left`: ps of undisturbed time; losses count in a factor above
  // 1.
  void pass(std::size_t ended, std::int64_t left, double factor) {
    ended_ = &running_[ended];
    factor_ = factor;
    moved_ = {};
    if (factor > 1.0) add_moved(*ended_, static_cast<double>(left), moved_);
    now_.add(ended_->left, factor);
    now_.add(moved_, 1.0);
  }
  // The same time, dt, for a lane that continues.
  void take(std::size_t lane, std::int64_t dt, double factor) {
    Running& op = running_[lane];
    op.left.add(ended_->left, -factor_ / factor);
    op.left.add(moved_, -1.0 / factor);
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
  BottleneckTimes moved_;           // ... and the part moved to shared links
  std::array<Running, static_cast<std::size_t>(lane_count)> running_;
};

// Used when bottlenecks are not requested.
struct NoDrivers {};

}  // namespace echo::timeline
