// A set of point numbers as disjoint ascending ranges, for finished and remaining points. A sweep of 10^8
// points simulated in order needs a few thousand ranges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sweep/run/row.hpp"

namespace echo::parallel {

class IdSet {
 public:
  IdSet() = default;
  explicit IdSet(std::vector<sweep::IdRange> ranges);  // in any order; may overlap, touch or be empty

  [[nodiscard]] std::span<const sweep::IdRange> ranges() const {
    return ranges_;
  }                                          // touching ones are joined
  [[nodiscard]] std::int64_t count() const;  // of ids
  [[nodiscard]] bool contains(sweep::PointIndex) const;
  friend bool operator==(const IdSet&, const IdSet&) = default;

 private:
  std::vector<sweep::IdRange> ranges_;
};

[[nodiscard]] IdSet unite(const IdSet&, const IdSet&);
[[nodiscard]] IdSet subtract(const IdSet& from, const IdSet& what);
[[nodiscard]] IdSet intersect(const IdSet&, const IdSet&);

}  // namespace echo::parallel
