#include "hugging_face/parts.hpp"

#include <algorithm>

#include "base/printable.hpp"

namespace echo::hugging_face {

using training::ModelSpec;

namespace {

// Bounds that keep products of sizes within 64 bits (read_config.cpp checks the whole).
constexpr Bounds most_layers{1, 65536}, most_channels{1, 1 << 24}, most_heads{1, 65536},
    most_words{1, 1 << 28};
constexpr Bounds most_experts{1, 65536};

}  // namespace

void read_sizes(Fields& f, ModelSpec& m, SizeDefaults defaults) {
  m.layers = f.count("num_hidden_layers", most_layers);
  m.hidden = f.count("hidden_size", most_channels);
  m.vocab = defaults.vocab > 0 ? f.count_or("vocab_size", defaults.vocab, most_words)
                               : f.count("vocab_size", most_words);
  m.max_positions = defaults.positions > 0 ? f.count_or("max_position_embeddings", defaults.positions)
                                           : f.count("max_position_embeddings");
  m.tied_embeddings = f.flag("tie_word_embeddings", defaults.tied);
}

void read_heads(Fields& f, ModelSpec& m, std::int32_t head_dim) {
  m.heads = f.count("num_attention_heads", most_heads);
  m.kv_heads = f.count_or("num_key_value_heads", m.heads, most_heads);
  m.head_dim = f.count_or("head_dim", head_dim > 0 ? head_dim : std::max(1, m.hidden / m.heads), {1, 65536});
}

void read_net(Fields& f, ModelSpec& m, bool gated, std::string_view activation) {
  m.ffn_hidden = f.count("intermediate_size", most_channels);
  m.gated_ffn = gated;
  (void)f.word(activation, "");
}

void read_biases(Fields& f, ModelSpec& m) {
  const bool attention = f.flag("attention_bias", false), net = f.flag("mlp_bias", false);
  m.linear_bias = attention && net;
  if (attention != net)
    f.refuse(attention ? "attention_bias" : "mlp_bias",
             std::string(attention ? "attention" : "the feed-forward net") + " alone has biases",
             "the simulator knows biases of all products, or of queries, keys and values alone");
}

void read_qkv_bias(Fields& f, ModelSpec& m, bool otherwise) {
  m.linear_bias = false;
  m.qkv_bias = f.flag("attention_bias", otherwise);
}

void read_llama_like(Fields& f, ModelSpec& m, SizeDefaults defaults) {
  read_sizes(f, m, defaults);
  read_heads(f, m);
  read_net(f, m, true);
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  m.linear_bias = false;
}

std::optional<std::int32_t> full_interval_of(const std::vector<bool>& sees_all) {
  const auto first = std::find(sees_all.begin(), sees_all.end(), true);
  const std::size_t interval =
      first == sees_all.end() ? 0 : static_cast<std::size_t>(first - sees_all.begin()) + 1;
  for (std::size_t i = 0; i < sees_all.size(); ++i)
    if (sees_all[i] != (interval > 0 && (i + 1) % interval == 0)) return std::nullopt;
  return static_cast<std::int32_t>(interval);
}

void set_window(Fields& f, ModelSpec& m, std::int32_t span, std::int32_t interval) {
  const std::vector<std::string> types = f.words("layer_types");
  std::vector<bool> sees_all;
  for (const std::string& type : types) {
    sees_all.push_back(type == "full_attention");
    if (sees_all.back() || type == "sliding_attention") continue;
    f.refuse("layer_types", "layer_types names layers of another kind: " + printable(type).substr(0, 60));
    return;
  }
  const std::optional<std::int32_t> listed = full_interval_of(sees_all);
  if (!listed) f.refuse("layer_types", "layers that see all tokens do not come at one distance");
  if (listed && !types.empty()) interval = *listed;
  if (span == 0 || interval == 1) return;  // every layer sees all tokens
  m.local = {.span = span, .full_interval = interval};
}

void read_routed_experts(Fields& f, ModelSpec& m) {
  m.experts = f.count("n_routed_experts", most_experts);
  m.experts_per_token = f.count("num_experts_per_tok", most_experts);
  m.expert_ffn_hidden = f.count("moe_intermediate_size", most_channels);
  const std::int64_t shared = f.count_or("n_shared_experts", 0, {0, 1024});
  m.shared_expert_hidden =
      static_cast<std::int32_t>(std::min<std::int64_t>(shared * m.expert_ffn_hidden, most_channels.high));
  m.first_dense_layers = f.count_or("first_k_dense_replace", 0, {0, most_layers.high});
  const std::int32_t groups = f.count_or("n_group", 1, most_experts),
                     chosen = f.count_or("topk_group", 1, most_experts);
  if (groups > 1 && chosen < groups) m.routing_groups = groups, m.groups_per_token = chosen;
  f.skip({"norm_topk_prob", "routed_scaling_factor", "scoring_func", "topk_method", "seq_aux", "ep_size"});
}

void read_sparse_steps(Fields& f, ModelSpec& m) {
  m.experts = f.count("num_experts", most_experts);
  m.experts_per_token = f.count("num_experts_per_tok", most_experts);
  m.expert_ffn_hidden = f.count("moe_intermediate_size", most_channels);
  m.moe_interval = f.count_or("decoder_sparse_step", 1, most_layers);
  if (!f.words("mlp_only_layers").empty())
    f.refuse(
        "mlp_only_layers", "chosen layers have a dense net",
        "the simulator knows dense layers at the start (first_dense_layers) or at a distance (moe_interval)");
  f.skip({"norm_topk_prob"});
}

void refuse_switched_windows(Fields& f) {
  f.skip({"sliding_window", "max_window_layers"});
  const std::vector<std::string> types = f.words("layer_types");
  const bool slides = std::find(types.begin(), types.end(), "sliding_attention") != types.end();
  if (f.flag("use_sliding_window", false) || slides)
    f.refuse(slides ? "layer_types" : "use_sliding_window",
             "the layers from max_window_layers on have a window",
             "the simulator knows windows in all layers but each n-th");
}

}  // namespace echo::hugging_face
