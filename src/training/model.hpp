// A decoder-only transformer, as its authors publish it. Loaded from sweeps/catalog/models/*.toml.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.hpp"

namespace echo::training {

using ModelId = Id<struct ModelTag>;

enum class Norm : std::int8_t { layer, rms };
enum class Positions : std::int8_t { learned, rope, alibi };

struct ModelSpec {
  std::string name;
  std::int32_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn_hidden = 0, vocab = 0;
  std::int32_t max_positions = 2048;  // rows of a learned position table; also the default sequence length
  std::int32_t experts = 0, experts_per_token = 0, expert_ffn_hidden = 0;
  bool gated_ffn = false;       // SwiGLU: two input projections
  bool tied_embeddings = true;  // input and output embedding share one table
  bool linear_bias = true;
  Norm norm = Norm::layer;
  Positions positions = Positions::learned;
  std::string source;
  friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

// Parameters of one transformer layer, and of the whole model (embedding once where tied). Exact counts.
[[nodiscard]] std::int64_t layer_parameters(const ModelSpec&);
[[nodiscard]] std::int64_t total_parameters(const ModelSpec&);

// Model FLOPs of one training step over `samples` sequences of `tokens`: forward + backward = 3x forward;
// forward is 2 per weight of every matrix product (logits included, embedding look-up not) and causal
// attention at half the square. Recomputation does not count: this is MFU's numerator (PaLM, Chowdhery 2022,
// appendix B).
[[nodiscard]] double model_flops(const ModelSpec&, std::int64_t samples, std::int64_t tokens);

}  // namespace echo::training
