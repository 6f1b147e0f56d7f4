// Values of axes as sweeps name them and as people read them.
#pragma once

#include <string>

#include "simulate/catalog.hpp"
#include "sweep/language/program.hpp"
#include "sweep/spec.hpp"
#include "training/config.hpp"

namespace echo::sweep {

// The value of an axis in a config, as a sweep would name it.
[[nodiscard]] AxisValue value_in(const training::TrainingConfig&, Axis, const simulate::Catalog&,
                                 bool batch_in_tokens = false);

// "8", "true", "llama3-70b", "2.21.5", "even", "40-40".
[[nodiscard]] std::string value_text(Axis, const AxisValue&, const simulate::Catalog&);
[[nodiscard]] std::string value_text(Axis, const ResolvedValue&, const Program&, const simulate::Catalog&);

}  // namespace echo::sweep
