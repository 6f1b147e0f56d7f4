// The order in which a worker visits points that it has claimed: those whose steps share most follow each
// other, wherever the sweep file lists the axes in which they differ.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "training/axis_values.hpp"

namespace echo::sweep {

class VisitOrder {
 public:
  // Adds the next point.
  void add(const training::AxisValues&);
  // The places of all points since the last clear(), in the order in which to visit them: like ones together,
  // at the place of the first of them, and among these the ones of the same work.
  [[nodiscard]] std::span<const std::int32_t> places();
  void clear();

 private:
  struct Point {
    std::int32_t like, end, place;  // the number of its hash, and of the end of its step
    friend auto operator<=>(const Point&, const Point&) = default;
  };
  std::vector<std::uint64_t> likes_;  // hashes of the axes that points share
  std::vector<Point> points_;
  std::vector<std::int32_t> places_;
};

}  // namespace echo::sweep
