// Axes that follow from what a framework says instead.
#pragma once

#include <string>

#include "base/problems.hpp"
#include "launch_flags/translate.hpp"
#include "simulate/catalog.hpp"

namespace echo::launch_flags {

// The preset that the facts name, or an empty model.
[[nodiscard]] training::ModelSpec model_named(const Facts&, const simulate::Catalog&);

// Puts gpus or dp, global_batch, vpp, layer_split, zero_group and cp_inner in place of the facts they follow
// from (facts.hpp). Numbers that are none, and quotients that are not whole, are problems at the place of
// their setting.
void derive_axes(Understood&, const training::ModelSpec&, const std::string& file, Problems&);

}  // namespace echo::launch_flags
