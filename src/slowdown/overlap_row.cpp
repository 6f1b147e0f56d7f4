#include "slowdown/overlap_row.hpp"

namespace echo::slowdown {

double slowdown_of(const OverlapRow& row) {
  if (row.overlap_ratio <= 0.0) return 0.0;
  return (row.overlapped - row.alone) / (row.overlap_ratio * row.alone);
}

double overlapped_time(double alone, double overlap_ratio, double slowdown) {
  return alone * (1.0 + overlap_ratio * slowdown);
}

}  // namespace echo::slowdown
