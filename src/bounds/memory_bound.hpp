// The memory of sets of configs: whether any member fits the device, and the least that one needs.
//
// Memory and the rules of frameworks read few axes (simulate::axes_of_admission). Every combination of the
// open ones among them is looked at, those that save memory first; the search ends with the first that fits.
// So the answer is exact, and costs most for sets of which nothing fits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bounds/open_axes.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/step/workspace.hpp"
#include "training/config.hpp"

namespace echo::bounds {

struct MemoryBound {
  double most_chance = 0.0;  // to fit, of the members looked at
  Bytes least_peak;          // of all members; only where none has the chance that is asked for
  bool any = false;          // a member that breaks no rule was met
};

// Whether the rule of this code looks at one of the axes: if not, all members of a set break it or none does.
[[nodiscard]] bool depends_on(std::int32_t rule, const sweep::AxisSet& axes);

class MemoryBounds {
 public:
  MemoryBounds(const simulate::Catalog&, const simulate::Calibration&, simulate::Workspace&);
  // Over the configs that agree with `member` on every axis but the open ones. Ends where one fits with
  // `enough` chance; above 1: looks at all. Nothing where an open axis is read and its values are not known.
  // Contract: as StepBounds::of_set.
  [[nodiscard]] std::optional<MemoryBound> of_set(const training::TrainingConfig& member, const OpenAxes& open,
                                                  double enough);

 private:
  const simulate::Catalog& catalog_;
  const simulate::Calibration& known_;
  simulate::Workspace& ws_;
};

}  // namespace echo::bounds
