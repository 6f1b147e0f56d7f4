// Layers dealt out to pipeline stages by cost.
#pragma once

#include <cstdint>
#include <vector>

#include "training/model.hpp"

namespace echo::training {

// Layers of each of `stages` stages, in order; may be 0. A layer costs the weights of its products, the
// output layer those of its table. Stage i takes layers until the cost of all so far exceeds its share (i +
// 1) / stages of the whole; the output layer is on the last. The norms' cost is nothing. Source: nanotron
// src/nanotron/models/base.py, build_model; models/llama.py, get_block_compute_costs.
[[nodiscard]] std::vector<std::int32_t> balanced_stages(const ModelSpec&, std::int32_t stages);

}  // namespace echo::training
