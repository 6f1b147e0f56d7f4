// The fields of presets that expressions may name: model.layers, gpu.memory, cluster.gpus_per_node, ...
#pragma once

#include <span>
#include <string_view>

#include "simulate/catalog.hpp"
#include "sweep/axis.hpp"
#include "sweep/language/expression.hpp"

namespace echo::sweep {

struct PresetField {
  std::string_view name;
  Axis owner;  // model, gpu or cluster
  Type type;
  Unit unit;
  Scalar (*value)(const simulate::Catalog&, std::size_t preset);
};

[[nodiscard]] std::span<const PresetField> preset_fields();

}  // namespace echo::sweep
