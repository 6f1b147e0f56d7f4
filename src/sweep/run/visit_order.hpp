// The order in which a worker visits points that it has claimed: those whose steps share most follow each
// other, wherever the sweep file lists the axes in which they differ.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "training/axis_values.hpp"

namespace echo::sweep {

class VisitOrder {
 public:
  // Adds the next point.
  void add(const training::AxisValues&);
  // The places of all points since the last clear(), in the order in which to visit them: like ones together,
  // at the place of the first of them.
  [[nodiscard]] std::span<const std::int32_t> places();
  void clear();

 private:
  std::vector<std::uint64_t> likes_;                           // hashes of the axes that points share
  std::vector<std::pair<std::int32_t, std::int32_t>> points_;  // the number of its hash, its place
  std::vector<std::int32_t> places_;
};

}  // namespace echo::sweep
