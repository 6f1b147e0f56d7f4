// Cache of slowdown factors of kernels and collectives. Look-up only; order never matters.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "base/counter_rng.hpp"
#include "slowdown/contention.hpp"

namespace echo::simulate {

// Open addressing: a point looks up some hundred pairs, each once, and a node of a standard map for each
// costs more than half of what the smallest models do.
class FactorMemo {
 public:
  // Maximum number of pairs; then it starts again. 24 MiB.
  static constexpr std::size_t most = std::size_t{1} << 19;

  // The factors of the kernel and the collective of these numbers (>= 0); `predict` answers where they are
  // not known.
  template <class Predict>
  const slowdown::Factors& find(std::int32_t kernel, std::int32_t collective, Predict predict) {
    const std::uint64_t pair =
        static_cast<std::uint64_t>(kernel) << 32 | static_cast<std::uint32_t>(collective);
    if (2 * size_ >= entries_.size()) make_room();
    std::size_t at = place_of(pair);
    while (entries_[at].pair != pair) {
      if (entries_[at].pair == none) {
        entries_[at] = {pair, predict()};
        ++size_;
        break;
      }
      at = (at + 1) & (entries_.size() - 1);
    }
    return entries_[at].factors;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t none = UINT64_MAX;  // of no pair: numbers are >= 0
  struct Entry {
    std::uint64_t pair = none;
    slowdown::Factors factors;
  };

  [[nodiscard]] std::size_t place_of(std::uint64_t pair) const {
    return static_cast<std::size_t>(mix(pair)) & (entries_.size() - 1);
  }
  void forget() {
    for (Entry& entry : entries_) entry.pair = none;
    size_ = 0;
  }
  void make_room() {
    if (size_ >= most) return forget();
    std::vector<Entry> before(entries_.empty() ? 1024 : 2 * entries_.size());
    before.swap(entries_);
    for (const Entry& entry : before) {
      if (entry.pair == none) continue;
      std::size_t at = place_of(entry.pair);
      while (entries_[at].pair != none) at = (at + 1) & (entries_.size() - 1);
      entries_[at] = entry;
    }
  }

  std::vector<Entry> entries_;  // a power of two, half of it empty
  std::size_t size_ = 0;
};

}  // namespace echo::simulate
