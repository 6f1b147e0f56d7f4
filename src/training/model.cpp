#include "training/model.hpp"

namespace echo::training {

namespace {

struct LayerWeights {
  std::int64_t matrices = 0;  // entries of all matrix products
  std::int64_t vectors = 0;   // biases and norm weights
};

LayerWeights layer_weights(const ModelSpec& m) {
  const std::int64_t h = m.hidden, q = std::int64_t{m.heads} * m.head_dim,
                     kv = std::int64_t{m.kv_heads} * m.head_dim;
  const std::int64_t f = m.ffn_hidden, up = m.gated_ffn ? 2 * f : f;
  LayerWeights w;
  w.matrices = h * (q + 2 * kv) + q * h + h * up + f * h;
  w.vectors = 2 * h * (m.norm == Norm::layer ? 2 : 1);
  if (m.linear_bias) w.vectors += q + 2 * kv + h + up + h;
  return w;
}

}  // namespace

std::int64_t layer_parameters(const ModelSpec& m) {
  const LayerWeights w = layer_weights(m);
  return w.matrices + w.vectors;
}

std::int64_t total_parameters(const ModelSpec& m) {
  const std::int64_t h = m.hidden, table = std::int64_t{m.vocab} * h;
  std::int64_t total = m.layers * layer_parameters(m) + table;
  if (!m.tied_embeddings) total += table;
  if (m.positions == Positions::learned) total += std::int64_t{m.max_positions} * h;
  return total + h * (m.norm == Norm::layer ? 2 : 1);
}

double model_flops(const ModelSpec& m, std::int64_t samples, std::int64_t tokens) {
  const double all_tokens = static_cast<double>(samples) * static_cast<double>(tokens);
  const double logits = static_cast<double>(m.hidden) * m.vocab;
  const double weights =
      static_cast<double>(m.layers) * static_cast<double>(layer_weights(m).matrices) + logits;
  // Scores and context: 2 products of 2 flops per (query, key) pair and channel, half of the pairs masked.
  const double attention = 2.0 * static_cast<double>(tokens) * m.heads * m.head_dim * m.layers;
  return 3.0 * all_tokens * (2.0 * weights + attention);
}

}  // namespace echo::training
