// Counting weights. A layer consists of a mixer (attention, plain or latent: down- and up-projections with
// norms between; or Mamba-2: a projection to gate, values, B, C and time steps, a short convolution, a gated
// norm and a projection back) and a feed-forward net or a mixture: a router, `experts` small nets of which a
// token passes a few, and shared ones it always passes; each half has a norm before it. Neglected: score
// biases of load balancing (one number per expert),
// Grok-1's second pair of norms.
#include "training/model.hpp"

#include <algorithm>

#include "base/at.hpp"

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

// Entries of the biases of a net.
std::int64_t net_biases(const ModelSpec& m, std::int64_t width) {
  return m.linear_bias ? width * (m.gated_ffn ? 2 : 1) + m.hidden : 0;
}

std::int64_t attention_vectors(const ModelSpec& m) {
  std::int64_t vectors = 0;
  if (m.linear_bias || m.qkv_bias) vectors += std::int64_t{m.heads + 2 * m.kv_heads} * m.head_dim;
  if (m.linear_bias) vectors += m.hidden;
  if (m.query_key_norm) vectors += 2 * m.head_dim;
  if (m.whole_query_key_norm) vectors += std::int64_t{m.heads + m.kv_heads} * m.head_dim;
  if (m.has_latent_attention()) vectors += m.latent.query_rank + m.latent.key_value_rank;
  if (m.attention_sinks) vectors += m.heads;
  return vectors;
}

LayerWeights layer_weights(const ModelSpec& m, LayerKind kind) {
  LayerWeights w;
  w.vectors = norm_parameters(m, kind);
  if (kind.has_attention()) {
    w.active += attention_weights(m);
    w.vectors += attention_vectors(m);
  } else if (kind.mixer == Mixer::mamba) {
    w.active += std::int64_t{m.hidden} * (m.mamba.projected() + m.mamba.inner());
    w.vectors += mamba_vector_parameters(m);
  }
  if (kind.net == Net::dense) {
    w.active += net_weights(m, m.ffn_hidden);
    w.vectors += net_biases(m, m.ffn_hidden);
  }
  w.matrices = w.active;
  if (kind.mixes_experts()) {
    w.active += router_parameters(m) + net_weights(m, m.shared_expert_hidden);
    w.matrices = w.active + routed_expert_parameters(m);
    w.active +=
        m.experts_per_token * (net_weights(m, m.expert_ffn_hidden) + net_biases(m, m.expert_ffn_hidden));
  }
  return w;
}

// Everything outside the layers.
std::int64_t outer_parameters(const ModelSpec& m) {
  const std::int64_t table = std::int64_t{m.vocab} * m.hidden;
  return table * (m.tied_embeddings ? 1 : 2) + input_parameters(m) + one_norm_parameters(m) +
         (m.head_bias ? m.vocab : 0);
}

LayerKind kind_of_letter(char letter) {
  switch (letter) {
    case 'M':
      return {Mixer::mamba, Net::none};
    case '*':
      return {Mixer::attention, Net::none};
    case 'E':
      return {Mixer::none, Net::moe};
    default:
      return {Mixer::none, Net::dense};
  }
}

}  // namespace

LayerKind layer_kind(const ModelSpec& m, std::int32_t layer) {
  if (!m.layer_pattern.empty()) {
    // A shortened model repeats the pattern from its start.
    return kind_of_letter(m.layer_pattern[at(layer) % m.layer_pattern.size()]);
  }
  const LocalAttention& local = m.local;
  const bool sees_all =
      local.span == 0 || (local.full_interval > 0 && (layer + 1) % local.full_interval == 0);
  const bool mixes = m.has_experts() && layer >= m.first_dense_layers && (layer + 1) % m.moe_interval == 0;
  return {sees_all ? Mixer::attention : Mixer::local, mixes ? Net::moe : Net::dense};
}

LayerKindCounts count_layer_kinds(const ModelSpec& m, std::int32_t first, std::int32_t count) {
  LayerKindCounts of{};
  if (m.layer_pattern.empty() && !m.has_experts() && m.local.span == 0)
    of[LayerKind::dense.index()] = count;
  else
    for (std::int32_t i = first; i < first + count; ++i) ++of[layer_kind(m, i).index()];
  return of;
}

std::int32_t moe_layers(const ModelSpec& m, std::int32_t first, std::int32_t count) {
  const LayerKindCounts of = count_layer_kinds(m, first, count);
  std::int32_t mixing = 0;
  for (std::size_t i = 0; i < layer_kind_count; ++i) mixing += layer_kind_at(i).mixes_experts() ? of[i] : 0;
  return mixing;
}

double attended_pairs(const ModelSpec& m, Mixer mixer, std::int64_t tokens) {
  const auto half_square = [](double n) { return n * n / 2.0; };
  const double t = static_cast<double>(tokens), span = m.local.span;
  if (mixer != Mixer::local || span == 0 || t <= span) return half_square(t);
  if (!m.local.chunked) return half_square(t) - half_square(t - span);
  const double rest = static_cast<double>(tokens % m.local.span);
  return static_cast<double>(tokens / m.local.span) * half_square(span) + half_square(rest);
}

bool shares_norm(const ModelSpec& m, LayerKind kind) {
  return m.single_norm && kind.mixer != Mixer::none && kind.net != Net::none;
}

std::int64_t one_norm_parameters(const ModelSpec& m) {
  return m.norm_weights ? std::int64_t{m.hidden} * (m.norm == Norm::layer ? 2 : 1) : 0;
}

std::int64_t norm_parameters(const ModelSpec& m, LayerKind kind) {
  const std::int64_t halves = (kind.mixer != Mixer::none ? 1 : 0) + (kind.net != Net::none ? 1 : 0);
  const std::int64_t norms = shares_norm(m, kind) ? 1 : halves * (m.post_norms ? 2 : 1);
  return norms * one_norm_parameters(m);
}

std::int64_t input_parameters(const ModelSpec& m) {
  const std::int64_t rows =
      m.positions == Positions::learned ? std::int64_t{m.max_positions} + m.position_offset : 0;
  return rows * m.hidden + (m.embedding_norm ? one_norm_parameters(m) : 0);
}

std::int64_t mamba_vector_parameters(const ModelSpec& m) {
  const Mamba& x = m.mamba;
  return std::int64_t{x.convolved()} * (x.convolution + 1) + 3LL * x.heads + x.inner();
}

std::int64_t routed_expert_parameters(const ModelSpec& m) {
  return m.experts * (net_weights(m, m.expert_ffn_hidden) + net_biases(m, m.expert_ffn_hidden));
}

std::int64_t router_parameters(const ModelSpec& m) {
  return (std::int64_t{m.hidden} + (m.linear_bias ? 1 : 0)) * m.experts +
         (m.shared_expert_gate ? m.hidden : 0);
}

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
  std::int64_t total = outer_parameters(m);
  const LayerKindCounts of = count_layer_kinds(m, 0, m.layers);
  for (std::size_t i = 0; i < layer_kind_count; ++i)
    if (of[i] > 0) total += of[i] * layer_parameters(m, layer_kind_at(i));
  return total;
}

std::int64_t active_parameters(const ModelSpec& m) {
  const std::int64_t mixing = moe_layers(m, 0, m.layers);
  const LayerWeights moe = layer_weights(m, LayerKind::moe);
  return total_parameters(m) - mixing * (moe.matrices - moe.active);
}

double layer_flops(const ModelSpec& m, LayerKind kind, std::int64_t tokens) {
  const double t = static_cast<double>(tokens);
  double flops = 2.0 * t * static_cast<double>(layer_weights(m, kind).active);
  // Scores and context: a product each of 2 flops per pair and channel.
  if (kind.has_attention())
    flops += 2.0 * attended_pairs(m, kind.mixer, tokens) * m.heads *
             static_cast<double>(m.query_head_dim() + m.value_head_dim());
  // A state of `state` numbers per channel: the update by B x, the reading by C.
  if (kind.mixer == Mixer::mamba) flops += 4.0 * t * m.mamba.inner() * m.mamba.state;
  return flops;
}

double model_flops(const ModelSpec& m, std::int64_t samples, std::int64_t tokens) {
  const double t = static_cast<double>(tokens);
  double forward = 2.0 * t * static_cast<double>(m.hidden) * m.vocab;  // logits
  const LayerKindCounts of = count_layer_kinds(m, 0, m.layers);
  for (std::size_t i = 0; i < layer_kind_count; ++i)
    if (of[i] > 0) forward += of[i] * layer_flops(m, layer_kind_at(i), tokens);
  return 3.0 * static_cast<double>(samples) * forward;
}

double frozen_model_flops(const ModelSpec& m, std::int64_t samples, std::int64_t tokens) {
  double weights = static_cast<double>(m.hidden) * m.vocab;
  const LayerKindCounts of = count_layer_kinds(m, 0, m.layers);
  for (std::size_t i = 0; i < layer_kind_count; ++i)
    if (of[i] > 0) weights += of[i] * static_cast<double>(layer_weights(m, layer_kind_at(i)).active);
  const double all_tokens = static_cast<double>(samples) * static_cast<double>(tokens);
  return model_flops(m, samples, tokens) - 2.0 * all_tokens * weights;
}

}  // namespace echo::training
