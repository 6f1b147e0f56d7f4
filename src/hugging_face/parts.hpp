// Parts of a config.json that several architectures write in the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hugging_face/fields.hpp"
#include "training/model.hpp"

namespace echo::hugging_face {

// The note of models whose halves both start from the layer's input.
inline constexpr const char* side_by_side =
    "attention and net work side by side on the layer's input; they are simulated one after the other";

inline constexpr std::int32_t most_pattern_layers = 4096;  // the length of a text in a preset

// num_hidden_layers, hidden_size, vocab_size, max_position_embeddings, tie_word_embeddings.
struct SizeDefaults {
  std::int32_t vocab = 0;      // 0: the field must be there
  std::int32_t positions = 0;  // 0: the same
  bool tied = false;
};
void read_sizes(Fields&, training::ModelSpec&, SizeDefaults defaults = {});

// num_attention_heads, num_key_value_heads (as many), head_dim (`head_dim`, or hidden / heads where that is
// 0).
void read_heads(Fields&, training::ModelSpec&, std::int32_t head_dim = 0);

// intermediate_size and the name of the activation, which does not change the time.
void read_net(Fields&, training::ModelSpec&, bool gated, std::string_view activation = "hidden_act");

// Biases: attention_bias and mlp_bias, where the first means all four products of attention.
void read_biases(Fields&, training::ModelSpec&);
// The same where it means queries, keys and values alone, and nets have none.
void read_qkv_bias(Fields&, training::ModelSpec&, bool otherwise);

// A decoder of RMSNorm, rotary positions and a gated net: Llama and those that follow it. Reads all of the
// above but biases.
void read_llama_like(Fields&, training::ModelSpec&, SizeDefaults defaults = {});

// The distance n at which layers see all tokens, if layers n, 2 n, ... do and no others; 0 where none does.
[[nodiscard]] std::optional<std::int32_t> full_interval_of(const std::vector<bool>& sees_all);

// Window of `span` tokens in all layers but each `interval`-th, or as layer_types lists the layers.
void set_window(Fields&, training::ModelSpec&, std::int32_t span, std::int32_t interval);

// Experts under the names of DeepSeek and GLM: n_routed_experts, num_experts_per_tok, moe_intermediate_size,
// n_shared_experts, first_k_dense_replace, n_group, topk_group.
void read_routed_experts(Fields&, training::ModelSpec&);
// Under those of Qwen: num_experts, num_experts_per_tok, moe_intermediate_size, decoder_sparse_step,
// mlp_only_layers.
void read_sparse_steps(Fields&, training::ModelSpec&);

// Qwen's windows, which the published models switch off: use_sliding_window, max_window_layers.
void refuse_switched_windows(Fields&);

}  // namespace echo::hugging_face
