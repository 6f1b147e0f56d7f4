// One point as a sweep of its own: what changes of it are made from.
#pragma once

#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"
#include "training/config.hpp"

namespace echo::sweep {

struct OnePoint {
  // A sweep of one combination. It names the axes that the whole sweep names, so that what follows from them
  // there follows here too; and the number of GPUs in place of dp, which follows from it.
  SweepSpec spec;
  training::TrainingConfig config;  // its choices, whether or not they go together
};

// The config, under the rules, limits and settings of `spec`. An axis that is idle in the config has a value
// that `spec` gives it: the config's own, which is the plain one, if that is among them, else the first.
[[nodiscard]] OnePoint pinned(const SweepSpec& spec, const training::TrainingConfig&,
                              const simulate::Catalog&);

// Another choice. dp follows as far as it can: rounded down. Where dp itself is chosen, the GPUs follow.
void choose(OnePoint&, Axis, const AxisValue&, const simulate::Catalog&);

// Gives the axis these values, whether the sweep names it or not. Contract: `pinned` made the sweep.
void set_values(SweepSpec&, Axis, std::vector<AxisValue> values);

}  // namespace echo::sweep
