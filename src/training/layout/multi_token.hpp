// Multi-token prediction: each depth is one more transformer layer after the last, predicting one token
// further.
#pragma once

#include <cstdint>

#include "training/config.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/model.hpp"

namespace echo::training {

// Kind of a depth's layer: that of the model's last layer.
[[nodiscard]] LayerKind multi_token_layer_kind(const ModelSpec&);
// Parameters of one depth, per GPU rank of the last stage; embedding and output table are shared with the
// model.
[[nodiscard]] RankParameters multi_token_parameters(const TrainingConfig&, const ModelSpec&);
// Those of its parameters that every tensor rank holds whole.
[[nodiscard]] std::int64_t replicated_multi_token_parameters(const ModelSpec&);
// Three norms: of the embedding, of the hidden state, before the output head.
[[nodiscard]] std::int64_t multi_token_norm_parameters(const ModelSpec&);
// Whether the last stage holds an embedding table only for the depths.
[[nodiscard]] bool copies_embedding(const TrainingConfig&, const ModelSpec&);

// Model FLOPs of one depth, counted as model_flops counts a layer and the logits; MFU includes them, as
// Megatron-LM's does (training/training.py, num_floating_point_operations).
[[nodiscard]] double multi_token_flops(const ModelSpec&, std::int64_t samples, std::int64_t tokens);

}  // namespace echo::training
