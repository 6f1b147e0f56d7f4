// Assignment of layers to pipeline stages by cost.
#pragma once

#include <cstdint>
#include <vector>

#include "training/model.hpp"

namespace echo::training {

// Layers of each of `stages` stages, in order; may be 0. The cost of a layer is the number of weights of its
// products, of the output layer that of its table; norms cost nothing. Stage i takes layers until the
// cumulative cost exceeds (i + 1) / stages of the whole; the output layer is on the last. Source: nanotron
// src/nanotron/models/base.py, build_model; models/llama.py, get_block_compute_costs.
[[nodiscard]] std::vector<std::int32_t> balanced_stages(const ModelSpec&, std::int32_t stages);

}  // namespace echo::training
