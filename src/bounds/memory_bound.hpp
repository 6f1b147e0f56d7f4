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

// What is known of the combinations of open values that a set may have.
struct MemoryBound {
  double most_chance = 0.0;           // to fit, of the members looked at
  Bytes least_peak;                   // of all members; only where none has the chance that is asked for
  bool any = false;                   // one that breaks no rule was met,
  training::TrainingConfig admitted;  // the last such, not normalised
};

// Whether members of a set may differ in what the rule of this code looks at: at an open axis, or at one that
// is idle for some of the open values and not for others. If not, all members break it where one does.
[[nodiscard]] bool depends_on(std::int32_t rule, const sweep::AxisSet& open);

class MemoryBounds {
 public:
  MemoryBounds(const simulate::Catalog&, const simulate::Calibration&, simulate::Workspace&);
  // Over the configs that agree with `member` on every axis but the open ones, each normalised. Ends where
  // one fits with `enough` chance; 0: where one breaks no rule; above 1: looks at all. Nothing where an open
  // axis is read and its values are not known. Contract: as StepBounds::of_set.
  [[nodiscard]] std::optional<MemoryBound> of_set(const training::TrainingConfig& member,
                                                  const OpenAxes& open, double enough);

 private:
  const simulate::Catalog& catalog_;
  const simulate::Calibration& known_;
  simulate::Workspace& ws_;
};

}  // namespace echo::bounds
