// What a config could choose instead, axis by axis.
#pragma once

#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/spec.hpp"
#include "training/config.hpp"

namespace echo::explain {

// Every value of the axis but the config's own: those the sweep gives it, and those it may take by itself.
// That is each word and switch; what "auto" of a degree stands for; powers of two of other sizes, up to what
// the model's layers or the GPUs allow; half, twice and four times the GPUs. Presets, lengths and batches say
// what is trained and on what: only the sweep's own values.
[[nodiscard]] std::vector<sweep::AxisValue> alternatives(const training::TrainingConfig&, sweep::Axis,
                                                         const sweep::SweepSpec&, const simulate::Catalog&);

// The axes a user would change: those of the layout, those the sweep varies, the number of GPUs, and
// `more`. Not those that [derive] defines.
[[nodiscard]] sweep::AxisSet changeable_axes(const sweep::SweepSpec&, const sweep::AxisSet& more);

}  // namespace echo::explain
