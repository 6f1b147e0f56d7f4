// A decoder-only transformer, as its authors publish it. Loaded from sweeps/catalog/models/*.toml.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.hpp"

namespace echo::training {

using ModelId = Id<struct ModelTag>;

enum class Norm : std::int8_t { layer, rms };
enum class Positions : std::int8_t { learned, rope, alibi };
enum class LayerKind : std::int8_t {
  dense,
  moe
};  // what follows attention: one feed-forward net, or a mixture

// Multi-head latent attention: queries and keys-values come out of a narrow projection and are widened head
// by head; only `rope_dim` channels of a head carry the position, and the key's are shared by all heads.
// Source: DeepSeek-V2 (arXiv:2405.04434, section 2.1).
struct LatentAttention {
  std::int32_t query_rank = 0;                             // 0 = queries are projected in one step
  std::int32_t key_value_rank = 0;                         // 0 = the model has no latent attention
  std::int32_t nope_dim = 0, rope_dim = 0, value_dim = 0;  // of a head
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

struct ModelSpec {
  std::string name;
  std::int32_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn_hidden = 0, vocab = 0;
  std::int32_t max_positions = 2048;  // rows of a learned position table; also the default sequence length
  std::int32_t experts = 0, experts_per_token = 0, expert_ffn_hidden = 0;  // 0 experts = a dense model
  std::int32_t shared_expert_hidden = 0;  // width of the experts that every token passes, all together
  // Layer i mixes experts when i >= first_dense_layers and moe_interval divides i + 1; the others have
  // ffn_hidden.
  std::int32_t first_dense_layers = 0, moe_interval = 1;
  LatentAttention latent;
  bool query_key_norm = false;  // RMSNorm over each head of queries and keys (Qwen3)
  bool gated_ffn = false;       // SwiGLU: two input projections
  bool tied_embeddings = true;  // input and output embedding share one table
  bool linear_bias = true;
  Norm norm = Norm::layer;
  Positions positions = Positions::learned;
  std::string source;

  [[nodiscard]] bool has_experts() const { return experts > 0; }
  [[nodiscard]] bool has_latent_attention() const { return latent.key_value_rank > 0; }
  [[nodiscard]] std::int32_t query_head_dim() const {
    return has_latent_attention() ? latent.nope_dim + latent.rope_dim : head_dim;
  }
  [[nodiscard]] std::int32_t value_head_dim() const {
    return has_latent_attention() ? latent.value_dim : head_dim;
  }
  friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

[[nodiscard]] LayerKind layer_kind(const ModelSpec&, std::int32_t layer);
// How many of the layers [first, first + count) mix experts.
[[nodiscard]] std::int32_t moe_layers(const ModelSpec&, std::int32_t first, std::int32_t count);

// Parameters of one transformer layer, all experts included, and of the whole model (embedding once where
// tied). Exact counts. active: what one token passes (its experts_per_token experts).
[[nodiscard]] std::int64_t layer_parameters(const ModelSpec&, LayerKind kind = LayerKind::dense);
[[nodiscard]] std::int64_t total_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t active_parameters(const ModelSpec&);
// Of one layer: all routed experts; the router; the latent attention's down-projections and their norms.
[[nodiscard]] std::int64_t routed_expert_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t router_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t latent_down_parameters(const ModelSpec&);

// Model FLOPs of one training step over `samples` sequences of `tokens`: forward + backward = 3x forward;
// forward is 2 per weight of every matrix product a token passes (logits and router included, embedding
// look-up not) and causal attention at half the square. Recomputation does not count: this is MFU's numerator
// (PaLM, Chowdhery 2022, appendix B).
[[nodiscard]] double model_flops(const ModelSpec&, std::int64_t samples, std::int64_t tokens);

}  // namespace echo::training
