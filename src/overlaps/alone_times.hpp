// The times of one kernel where nothing ran beside it.
#pragma once

#include <cstdint>
#include <vector>

namespace echo::overlaps {

class AloneTimes {
 public:
  void add(std::int64_t start, std::int64_t duration) { samples_.push_back({start, duration}); }
  void sort();  // once, before the rest is asked

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(samples_.size()); }
  // ns, between the two neighbours of the place in order, in proportion. Contract: count() > 0, 0 <= share
  // <= 1.
  [[nodiscard]] double quantile(double share) const;
  [[nodiscard]] double median() const { return quantile(0.5); }
  // From the tenth to the ninetieth hundredth, over the median; infinite where that is 0.
  [[nodiscard]] double spread() const;
  // ns from `start` to the nearest of them in time.
  [[nodiscard]] std::int64_t nearest(std::int64_t start) const;

 private:
  struct Sample {
    std::int64_t start = 0, duration = 0;
  };
  std::vector<Sample> samples_;       // by duration
  std::vector<std::int64_t> starts_;  // ascending
};

}  // namespace echo::overlaps
