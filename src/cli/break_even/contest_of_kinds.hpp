// The contest of one cell of a break-even surface: its points simulated, and the best row of each kind.
//
// A kind is what wins: the values of some axes, such as the cluster, or a whole layout. Ranked are rows as
// everywhere: feasible, and with the sweep's chance to fit the memory; equal values in the order of points.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "results/rank/contest.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "sweep/axis.hpp"
#include "sweep/run/row.hpp"
#include "sweep/spec.hpp"

namespace echo::cli {

// The best ranked row of one kind in one cell.
struct KindBest {
  std::string kind;  // "cluster=dgx-h200"
  double value = 0.0;
  std::uint64_t config_id = 0;
  std::string layout;  // every axis that varies, as kind
  results::Contender contender;
};

// The axes that vary in a sweep, or those named. UserError, 2, for a name that is no axis.
[[nodiscard]] std::vector<sweep::Axis> axes_of_kinds(const sweep::SweepSpec&, const std::string& per);
// "cluster=dgx-h200 tp=8"
[[nodiscard]] std::string kind_of(const training::TrainingConfig&, const std::vector<sweep::Axis>&,
                                  const simulate::Catalog&);

struct SimulatedCell {
  std::vector<sweep::Row> rows;  // those that are ranked
  std::int64_t points = 0;       // of the sweep
  std::int64_t simulated = 0;    // of them
};

// Simulates the points of a sweep: all, or those whose config is in `only`.
[[nodiscard]] SimulatedCell simulate_cell(const sweep::SweepSpec&, const simulate::Catalog&,
                                          const simulate::Calibration&, const std::set<std::uint64_t>* only);

struct Contest {
  std::vector<KindBest> standings;  // best first, one per kind
  std::int64_t unvalued = 0;        // ranked rows without a value, such as a cost for want of a price
};
// `terms`: of the cell.
[[nodiscard]] Contest contest_of(const SimulatedCell&, const sweep::Objective& by,
                                 const std::vector<sweep::Axis>& kinds,
                                 const std::vector<sweep::Axis>& layout, const campaign::Terms&,
                                 const simulate::Catalog&);

// Configs of the best `count` rows, and of the best `per_kind` of every kind.
void add_best(const SimulatedCell&, const sweep::Objective& by, const std::vector<sweep::Axis>& kinds,
              const campaign::Terms&, const simulate::Catalog&, std::set<std::uint64_t>& configs);

}  // namespace echo::cli
