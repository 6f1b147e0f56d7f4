// The names an axis of presets or words may take, in the order of their indices.
#pragma once

#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/axis.hpp"

namespace echo::sweep {

[[nodiscard]] std::vector<std::string> vocabulary_of(Axis axis, const simulate::Catalog& catalog);

}  // namespace echo::sweep
