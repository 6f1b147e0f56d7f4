// A break-even surface: for every pair of values of two axes, which kind of row wins, by how much, and where
// between the values the winner changes. A cell is the sweep with --set of its two values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/break_even/contest_of_kinds.hpp"
#include "cli/break_even/surface_axis.hpp"
#include "cli/break_even/surface_sweep.hpp"

namespace echo::cli {

struct SurfaceCell {
  std::vector<KindBest> standings;  // best first, one per kind; empty: no row is ranked
  std::int64_t unvalued = 0;        // ranked rows without a value of the metric
  double gap = 0.0;                 // of the second kind: how much worse, 0.05 = 5 %; NaN without one
  double chance = 0.0;              // that the first truly beats the second; NaN without one
  std::int64_t points = 0, simulated = 0;
  [[nodiscard]] bool is_tie() const;  // the chance is below 90 %, as everywhere
  [[nodiscard]] const KindBest* find(const std::string& kind) const;
};

// Between two neighbouring cells with different winners.
struct Boundary {
  bool is_along_x = true;
  std::size_t other = 0;  // index on the other axis
  std::size_t at = 0;     // between the values at and at + 1 of its own axis
  std::string from, to;   // the winners
  double place = 0.0;     // where both are equally good, by the logarithms of numbers and ratio; NaN where
                          //   one of them is not feasible on one side
};

struct Surface {
  SurfaceAxis x, y;
  sweep::Objective by;
  std::string kind_axes;           // "cluster", as --per
  std::vector<std::string> kinds;  // that win somewhere, the most cells first
  std::vector<SurfaceCell> cells;  // [y][x]
  std::vector<Boundary> boundaries;
  std::int64_t whole_cells = 0;       // of different hardware, whose points were all simulated
  std::int64_t restricted_cells = 0;  // of different hardware, with the candidates of the whole ones only
  std::int64_t candidates = 0;        // of the restricted cells
  std::int64_t simulations = 0;
  [[nodiscard]] const SurfaceCell& cell(std::size_t x_at, std::size_t y_at) const {
    return cells[y_at * x.points.size() + x_at];
  }
};

struct SurfaceRequest {
  SurfaceAxis x, y;
  std::string by;   // a metric; empty: the cost where a price is an axis, else the sweep's
  std::string per;  // axes; empty: cluster and gpu where one of them varies, else all that vary
  std::int64_t most_simulations = 1'000'000;  // beyond: whole cells at the corners, candidates elsewhere
};

// UserError, 2, where an axis does not fit the sweep, and where there are too many points.
[[nodiscard]] Surface break_even(const SurfaceSweep&, const SurfaceRequest&);

}  // namespace echo::cli
