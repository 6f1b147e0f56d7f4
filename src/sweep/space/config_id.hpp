// The id of a point: a hash of its axes and values, independent of the space that contains it.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>

#include "simulate/catalog.hpp"
#include "sweep/axis.hpp"
#include "training/config.hpp"

namespace echo::sweep {

using AxisSet = std::bitset<axis_count>;  // [at(axis)]

// The axes that are idle in this config: whatever value they take, the step is the same. An NCCL version is
// idle where it only repeats the cluster's. axes.toml says when each axis is.
[[nodiscard]] AxisSet irrelevant_axes(const training::TrainingConfig& config,
                                      const simulate::Catalog& catalog);

// Every axis that irrelevant_axes() may ever name.
[[nodiscard]] AxisSet axes_that_may_not_matter();

// The config with every setting that cannot matter put to its plain value (the schedule at one stage,
// sequence parallelism at one tensor rank, ...), so that configs that behave alike are equal.
[[nodiscard]] training::TrainingConfig normalised(training::TrainingConfig config,
                                                  const simulate::Catalog& catalog);

// "name=value;" for every axis in canonical order. Settings at their plain value are left out where a later
// version might add such settings, so that ids survive the addition. Contract: `config` is normalised.
[[nodiscard]] std::string canonical_text(const training::TrainingConfig& config,
                                         const simulate::Catalog& catalog);

// XXH3-64 of the canonical text of the normalised config.
[[nodiscard]] std::uint64_t config_id_of(const training::TrainingConfig& config,
                                         const simulate::Catalog& catalog);

}  // namespace echo::sweep
