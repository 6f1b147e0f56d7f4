// Finds the stage that acts next: the earliest time, ties to the first stage. A tournament tree: an update
// walks at most to the root, and stops as soon as the winner of a node does not change.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/at.hpp"
#include "base/units.hpp"

namespace echo::timeline {

class Earliest {
 public:
  static constexpr SimTime never{std::numeric_limits<std::int64_t>::max()};

  // Sets all stages to time zero.
  void start(std::int32_t stages) {
    leaves_ = std::bit_ceil(static_cast<std::uint32_t>(stages));
    time_.assign(leaves_, never);
    std::fill_n(time_.begin(), stages, SimTime::zero());
    winner_.resize(2 * leaves_);
    for (std::uint32_t i = 0; i < leaves_; ++i) winner_[leaves_ + i] = static_cast<std::int32_t>(i);
    for (std::uint32_t node = leaves_ - 1; node > 0; --node) play(node);
  }

  [[nodiscard]] std::int32_t first() const { return winner_[1]; }
  [[nodiscard]] SimTime time(std::int32_t stage) const { return time_[at(stage)]; }

  void set(std::int32_t stage, SimTime time) {
    time_[at(stage)] = time;
    for (std::uint32_t node = (leaves_ + static_cast<std::uint32_t>(stage)) / 2; node > 0; node /= 2) {
      const std::int32_t before = winner_[node];
      play(node);
      if (winner_[node] == before && before != stage) return;
    }
  }

 private:
  void play(std::uint32_t node) {
    const std::int32_t left = winner_[2 * node], right = winner_[2 * node + 1];
    winner_[node] = time(right) < time(left) ? right : left;
  }

  std::uint32_t leaves_ = 1;
  std::vector<SimTime> time_;         // [leaves]
  std::vector<std::int32_t> winner_;  // [2 * leaves] earliest stage under a node; the root is 1
};

}  // namespace echo::timeline
