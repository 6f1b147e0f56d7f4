// The id of a point: a hash of its axes and values, independent of the space that contains it.
#pragma once

#include <bitset>
#include <cstdint>

#include "simulate/catalog.hpp"
#include "sweep/axis.hpp"
#include "training/config.hpp"

namespace echo::sweep {

using AxisSet = std::bitset<axis_count>;  // [at(axis)]

// The axes that are idle in this config: whatever value they take, the step is the same. An NCCL version is
// idle where it only repeats the cluster's. axes.toml says when each axis is.
[[nodiscard]] AxisSet irrelevant_axes(const training::TrainingConfig& config,
                                      const simulate::Catalog& catalog);

// Its parts, for those who go from config to config (point_configs.hpp). `traced`: the model is a trace.
[[nodiscard]] training::Conditions conditions_of(const training::TrainingConfig&, const simulate::Catalog&);
[[nodiscard]] bool is_plain(Axis, const training::TrainingConfig&);
// A trace fixes most axes; except for these, an axis either matters to a trace or does not, as a whole.
[[nodiscard]] bool may_be_irrelevant(const AxisInfo&);
[[nodiscard]] bool is_irrelevant(const AxisInfo&, const training::TrainingConfig&, training::Conditions,
                                 bool traced);
// Puts an irrelevant axis to its plain value.
void make_plain(Axis, training::TrainingConfig&);

// Every axis that irrelevant_axes() may ever name.
[[nodiscard]] AxisSet axes_that_may_not_matter();

// The config with every setting that cannot matter put to its plain value (the schedule at one stage,
// sequence parallelism at one tensor rank, ...), so that configs that behave alike are equal.
[[nodiscard]] training::TrainingConfig normalised(training::TrainingConfig config,
                                                  const simulate::Catalog& catalog);

// XXH3-64 of the canonical text of the normalised config.
[[nodiscard]] std::uint64_t config_id_of(const training::TrainingConfig& config,
                                         const simulate::Catalog& catalog);

}  // namespace echo::sweep
