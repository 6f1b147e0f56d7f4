// Counting weights. A layer is attention (plain, or latent: down- and up-projections with norms between), two
// norms, and a feed-forward net or a mixture: a router, `experts` small nets of which a token passes a few,
// and shared ones it always passes. Neglected: score biases of load balancing (one number an expert), a gate
// of the shared experts (one number a channel), Grok-1's second pair of norms.
#include "training/model.hpp"

namespace echo::training {

namespace {

struct LayerWeights {
  std::int64_t matrices = 0;  // entries of all matrix products
  std::int64_t active = 0;    // of them, those that one token passes
  std::int64_t vectors = 0;   // biases and norm weights
};

// Entries of a feed-forward net.
std::int64_t net_weights(const ModelSpec& m, std::int64_t width) {
  return std::int64_t{m.hidden} * width * (m.gated_ffn ? 3 : 2);
}

std::int64_t attention_weights(const ModelSpec& m) {
  const std::int64_t h = m.hidden, q = std::int64_t{m.heads} * m.query_head_dim();
  if (m.has_latent_attention()) {
    const LatentAttention& l = m.latent;
    const std::int64_t queries = l.query_rank > 0 ? l.query_rank * (h + q) : h * q;
    const std::int64_t keys_values = h * (l.key_value_rank + l.rope_dim) +
                                     std::int64_t{l.key_value_rank} * m.heads * (l.nope_dim + l.value_dim);
    return queries + keys_values + h * m.heads * l.value_dim;
  }
  const std::int64_t kv = std::int64_t{m.kv_heads} * m.head_dim;
  return h * (q + 2 * kv) + q * h;
}

LayerWeights layer_weights(const ModelSpec& m, LayerKind kind) {
  const std::int64_t h = m.hidden, q = std::int64_t{m.heads} * m.head_dim,
                     kv = std::int64_t{m.kv_heads} * m.head_dim;
  const std::int64_t f = m.ffn_hidden, up = m.gated_ffn ? 2 * f : f;
  LayerWeights w;
  w.vectors = 2 * h * (m.norm == Norm::layer ? 2 : 1);
  if (m.linear_bias) w.vectors += q + 2 * kv + h;
  if (m.query_key_norm) w.vectors += 2 * m.head_dim;
  if (m.has_latent_attention()) w.vectors += m.latent.query_rank + m.latent.key_value_rank;
  w.active = attention_weights(m);
  if (kind == LayerKind::dense) {
    w.active += net_weights(m, f);
    w.matrices = w.active;
    if (m.linear_bias) w.vectors += up + h;
    return w;
  }
  w.active += router_parameters(m) + net_weights(m, m.shared_expert_hidden);
  w.matrices = w.active + routed_expert_parameters(m);
  w.active += m.experts_per_token * net_weights(m, m.expert_ffn_hidden);
  return w;
}

// Everything outside the layers.
std::int64_t outer_parameters(const ModelSpec& m) {
  const std::int64_t h = m.hidden, table = std::int64_t{m.vocab} * h;
  const std::int64_t positions = m.positions == Positions::learned ? std::int64_t{m.max_positions} * h : 0;
  return table * (m.tied_embeddings ? 1 : 2) + positions + h * (m.norm == Norm::layer ? 2 : 1);
}

}  // namespace

LayerKind layer_kind(const ModelSpec& m, std::int32_t layer) {
  const bool mixes = m.has_experts() && layer >= m.first_dense_layers && (layer + 1) % m.moe_interval == 0;
  return mixes ? LayerKind::moe : LayerKind::dense;
}

std::int32_t moe_layers(const ModelSpec& m, std::int32_t first, std::int32_t count) {
  std::int32_t mixing = 0;
  for (std::int32_t i = first; m.has_experts() && i < first + count; ++i)
    mixing += layer_kind(m, i) == LayerKind::moe;
  return mixing;
}

std::int64_t routed_expert_parameters(const ModelSpec& m) {
  return m.experts * net_weights(m, m.expert_ffn_hidden);
}

std::int64_t router_parameters(const ModelSpec& m) { return std::int64_t{m.hidden} * m.experts; }

std::int64_t latent_down_parameters(const ModelSpec& m) {
  if (!m.has_latent_attention()) return 0;
  const LatentAttention& l = m.latent;
  return std::int64_t{m.hidden} * (l.query_rank + l.key_value_rank + l.rope_dim) + l.query_rank +
         l.key_value_rank;
}

std::int64_t layer_parameters(const ModelSpec& m, LayerKind kind) {
  const LayerWeights w = layer_weights(m, kind);
  return w.matrices + w.vectors;
}

std::int64_t total_parameters(const ModelSpec& m) {
  const std::int64_t mixing = moe_layers(m, 0, m.layers);
  return (m.layers - mixing) * layer_parameters(m, LayerKind::dense) +
         mixing * layer_parameters(m, LayerKind::moe) + outer_parameters(m);
}

std::int64_t active_parameters(const ModelSpec& m) {
  const std::int64_t mixing = moe_layers(m, 0, m.layers);
  const LayerWeights moe = layer_weights(m, LayerKind::moe);
  return total_parameters(m) - mixing * (moe.matrices - moe.active);
}

double model_flops(const ModelSpec& m, std::int64_t samples, std::int64_t tokens) {
  const double all_tokens = static_cast<double>(samples) * static_cast<double>(tokens);
  const double logits = static_cast<double>(m.hidden) * m.vocab;
  const std::int32_t mixing = moe_layers(m, 0, m.layers);
  double weights = logits + static_cast<double>(m.layers - mixing) *
                                static_cast<double>(layer_weights(m, LayerKind::dense).active);
  if (mixing > 0) weights += mixing * static_cast<double>(layer_weights(m, LayerKind::moe).active);
  // Scores and context: a product each of 2 flops per (query, key) pair and channel, half of the pairs
  // masked.
  const double channels = static_cast<double>(m.heads) * (m.query_head_dim() + m.value_head_dim());
  const double attention = static_cast<double>(tokens) * channels * m.layers;
  return 3.0 * all_tokens * (2.0 * weights + attention);
}

}  // namespace echo::training
