// Why one point is not feasible, and the smallest changes that make it so: one axis; where none will do, two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "sweep/choice/one_point.hpp"
#include "sweep/run/row.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::explain {

struct Change {
  sweep::Axis axis{};
  std::string from, to;
};

// A point that was simulated and found feasible.
struct Way {
  std::vector<Change> changes;
  sweep::Row row;
  double value = 0.0;      // of the metric asked for; NaN = unknown
  bool is_sure = false;    // its chance to fit is what the sweep asks of a ranked row
  bool is_layout = false;  // it changes nothing but the layout: the same question, on as many GPUs
};

struct Nearest {
  std::vector<std::string> removed_by;  // rules of the sweep that remove the point; empty: none does
  sweep::Row point;                     // simulated, where no rule removes it
  // All with as few changes as give a sure one; where none is sure, all. Sure ones first, of them those of
  // the layout alone, and of these the best.
  std::vector<Way> ways;
  std::int64_t tried = 0;  // changes that the sweep's own rules admit
  int most_changes = 1;    // that were tried at once: 1 or 2
};

struct NearestQuery {
  sweep::AxisSet axes;                                 // that may change: changeable_axes()
  int most_changes = 2;                                // 1 or 2
  sweep::Objective by{"step_time", sweep::Goal::min};  // orders the ways
};

// `spec`: the sweep that lists the values of axes. Every change is simulated, and judged by the limits of the
// point. Deterministic. Throws UserError where the point does not compile.
[[nodiscard]] Nearest nearest_feasible(const sweep::OnePoint& point, const sweep::SweepSpec& spec,
                                       const simulate::Catalog&, const simulate::Calibration&,
                                       const NearestQuery&);

}  // namespace echo::explain
