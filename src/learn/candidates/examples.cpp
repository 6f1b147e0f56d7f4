#include "learn/candidates/examples.hpp"

namespace echo::learn {

Outcome outcome_of(const slowdown::OverlapRow& row, Side side, double predicted_slowdown) {
  if (side == Side::kernel) return {row.alone, row.overlapped, row.overlap_ratio, predicted_slowdown};
  return {row.beside.alone, row.beside.overlapped, row.beside.overlap_ratio, predicted_slowdown};
}

bool is_measured(const slowdown::OverlapRow& row, Side side) {
  const Outcome outcome = outcome_of(row, side, 0.0);
  return outcome.alone > 0.0 && outcome.overlapped > 0.0 && outcome.overlap_ratio >= 0.0 &&
         outcome.overlap_ratio <= 1.0;
}

}  // namespace echo::learn
