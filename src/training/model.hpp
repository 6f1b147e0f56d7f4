// A decoder-only transformer as published by its authors. Loaded from sweeps/catalog/models/*.toml.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/id.hpp"

namespace echo::training {

using ModelId = Id<struct ModelTag>;
using TraceId = Id<struct TraceTag>;  // index into the catalog's traces

enum class Norm : std::int8_t { layer, rms };
enum class Positions : std::int8_t { learned, rope, alibi, none };

// A layer is two halves, each with a norm before and a residual sum after it; either may be missing.
// The first mixes tokens: attention to all earlier ones, to near ones only, or a state passed from token to
// token (Mamba-2).
enum class Mixer : std::int8_t { none, attention, local, mamba };
// The second processes each token separately: a feed-forward net or a mixture of experts.
enum class Net : std::int8_t { none, dense, moe };

struct LayerKind {
  Mixer mixer = Mixer::attention;
  Net net = Net::dense;
  static const LayerKind dense, moe;  // attention, and the one or the other net
  [[nodiscard]] constexpr bool has_attention() const {
    return mixer == Mixer::attention || mixer == Mixer::local;
  }
  [[nodiscard]] constexpr bool mixes_experts() const { return net == Net::moe; }
  [[nodiscard]] constexpr std::size_t index() const {  // below layer_kind_count
    return static_cast<std::size_t>(mixer) * 3 + static_cast<std::size_t>(net);
  }
  friend constexpr auto operator<=>(const LayerKind&, const LayerKind&) = default;
};
inline constexpr LayerKind LayerKind::dense{Mixer::attention, Net::dense};
inline constexpr LayerKind LayerKind::moe{Mixer::attention, Net::moe};
inline constexpr std::size_t layer_kind_count = 12;

[[nodiscard]] constexpr LayerKind layer_kind_at(std::size_t index) {
  return {static_cast<Mixer>(index / 3), static_cast<Net>(index % 3)};
}

// `count` layers of one kind.
struct LayerCount {
  LayerKind kind;
  std::int32_t count = 0;
  friend constexpr auto operator<=>(const LayerCount&, const LayerCount&) = default;
};

// Layers whose tokens see at most `span` tokens: a window that ends at the token (Mistral, Gemma 3, gpt-oss),
// or the earlier tokens of its chunk (Llama 4).
struct LocalAttention {
  std::int32_t span = 0;  // 0 = every attention layer sees all tokens
  bool chunked = false;
  std::int32_t full_interval = 0;  // layers 1, 2, ... that it divides see all tokens; 0 = none
  bool full_has_positions = true;  // whether those layers rotate queries and keys (Llama 4's do not)
  friend bool operator==(const LocalAttention&, const LocalAttention&) = default;
};

// Mamba-2: `heads` states of head_dim x state numbers each; groups of heads share their input and output
// vectors B and C. Source: Dao and Gu 2024 (arXiv:2405.21060, sections 6 and 7).
struct Mamba {
  std::int32_t heads = 0, head_dim = 0, groups = 0, state = 0;
  std::int32_t convolution = 4;  // taps of the causal convolution over x, B and C
  std::int32_t chunk = 128;      // tokens computed at once
  [[nodiscard]] constexpr std::int32_t inner() const { return heads * head_dim; }
  [[nodiscard]] constexpr std::int32_t convolved() const { return inner() + 2 * groups * state; }  // x, B, C
  [[nodiscard]] constexpr std::int32_t projected() const {
    return inner() + convolved() + heads;  // z, x, B, C, dt
  }
  friend bool operator==(const Mamba&, const Mamba&) = default;
};

// Multi-head latent attention: queries and keys-values come from a narrow projection and are widened per
// head; only `rope_dim` channels of a head carry the position, and the key's are shared by all heads.
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
  std::int32_t shared_expert_hidden = 0;  // total width of the experts that every token passes
  // Routing limited to nodes (DeepSeek-V3, arXiv:2412.19437, section 2.1.2): experts form this many equal
  // groups, of which a token's experts lie in groups_per_token; 0 = a token may choose any.
  std::int32_t routing_groups = 0, groups_per_token = 0;
  // Layer i mixes experts when i >= first_dense_layers and moe_interval divides i + 1; the others have
  // ffn_hidden.
  std::int32_t first_dense_layers = 0, moe_interval = 1;
  LatentAttention latent;
  LocalAttention local;
  Mamba mamba;
  // One letter per layer, as in Megatron's hybrid models: M Mamba, * attention, - feed-forward net, E mixture
  // of experts, each with its own norm and residual. Empty: every layer is attention and a net.
  std::string layer_pattern;
  bool post_norms = false;            // norms also after both halves (Gemma 3)
  bool attention_sinks = false;       // a learned score per head without a key (gpt-oss)
  bool scaled_positions = false;      // YaRN: the rotation carries a factor besides (gpt-oss)
  bool clamped_activation = false;    // experts' activations take clamped inputs (gpt-oss)
  bool query_key_norm = false;        // RMSNorm over each head of queries and keys (Qwen3)
  bool whole_query_key_norm = false;  // RMSNorm over all heads of queries at once, and of keys (OLMo 2)
  bool norm_weights = true;           // OLMo's norms have neither weights nor biases
  bool single_norm = false;     // both halves take the output of the layer's only norm (Falcon 7B, Phi-2)
  bool embedding_norm = false;  // a norm between the embedding and the first layer (BLOOM)
  std::int32_t position_offset = 0;  // rows of the position table before that of the first token (OPT)
  bool gated_ffn = false;            // SwiGLU: two input projections
  bool tied_embeddings = true;       // input and output embedding share one table
  bool linear_bias = true;           // all products of a layer have biases
  bool qkv_bias = false;             // queries, keys and values have biases, other products none (Qwen2)
  bool head_bias = false;            // the output layer has a bias (Phi-2)
  bool shared_expert_gate = false;   // one number per token scales the shared experts' output (Qwen2-MoE)
  Norm norm = Norm::layer;
  Positions positions = Positions::learned;
  std::string source;
  TraceId trace;  // a traced step stands for the model; of the above only the name is used

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
// How many of the layers [first, first + count) are of each kind, by LayerKind::index.
using LayerKindCounts = std::array<std::int32_t, layer_kind_count>;
[[nodiscard]] LayerKindCounts count_layer_kinds(const ModelSpec&, std::int32_t first, std::int32_t count);
// (Query, key) pairs of one head over a sequence: half of the square, or of its visible part.
[[nodiscard]] double attended_pairs(const ModelSpec&, Mixer, std::int64_t tokens);
// How many of the layers [first, first + count) mix experts.
[[nodiscard]] std::int32_t moe_layers(const ModelSpec&, std::int32_t first, std::int32_t count);

// Parameters of one transformer layer, all experts included, and of the whole model (embedding once where
// tied). Exact counts. active: what one token passes (its experts_per_token experts).
[[nodiscard]] std::int64_t layer_parameters(const ModelSpec&, LayerKind kind = LayerKind::dense);
[[nodiscard]] std::int64_t total_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t active_parameters(const ModelSpec&);
// What the first stage holds beside the embedding table: learned positions and the norm of the embedding.
[[nodiscard]] std::int64_t input_parameters(const ModelSpec&);
// Whether a layer of this kind has one norm for both of its halves.
[[nodiscard]] bool shares_norm(const ModelSpec&, LayerKind);
// Parameters of one layer: all routed experts; the router and the gate of shared experts; the latent
// attention's down-projections and their norms.
[[nodiscard]] std::int64_t routed_expert_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t router_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t latent_down_parameters(const ModelSpec&);
// Vector parameters of one Mamba mixer: convolution, decays, skips, time steps' biases and the norm's
// weights.
[[nodiscard]] std::int64_t mamba_vector_parameters(const ModelSpec&);
// Parameters of one norm over the hidden channels, and of one layer's norms before (and after) its halves.
[[nodiscard]] std::int64_t one_norm_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t norm_parameters(const ModelSpec&, LayerKind);

// Model FLOPs of one training step over `samples` sequences of `tokens`: forward + backward = 3x forward;
// forward is 2 per weight of every matrix product a token passes (logits and router included, embedding
// look-up not), causal attention at the pairs it forms, and a Mamba state's update and reading. Recomputation
// does not count: this is MFU's numerator (PaLM, Chowdhery 2022, appendix B).
[[nodiscard]] double model_flops(const ModelSpec&, std::int64_t samples, std::int64_t tokens);
// Matrix products, and attention or the state, of one layer: forward flops of one sample of `tokens`.
[[nodiscard]] double layer_flops(const ModelSpec&, LayerKind, std::int64_t tokens);
// The same for a frozen model: no gradients of its weights, so twice the forward FLOPs of its products.
[[nodiscard]] double frozen_model_flops(const ModelSpec&, std::int64_t samples, std::int64_t tokens);

}  // namespace echo::training
