// Nemotron-H and Nemotron 3: Mamba-2, attention, nets and experts, each a layer of its own.
#include <algorithm>

#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

// One letter per layer: the pattern itself, or made of the words by which newer files list the layers.
static std::string pattern_of(Fields& f) {
  std::string letters = f.word("hybrid_override_pattern", "");
  if (!letters.empty()) {
    f.skip({"layers_block_type"});
    return letters;
  }
  constexpr std::pair<const char*, char> kinds[] = {{"mamba", 'M'},     {"linear_attention", 'M'},
                                                    {"attention", '*'}, {"full_attention", '*'},
                                                    {"mlp", '-'},       {"moe", 'E'}};
  for (const std::string& word : f.words("layers_block_type")) {
    const auto* const kind =
        std::ranges::find(kinds, word, [](const auto& one) { return std::string_view(one.first); });
    letters += kind == std::end(kinds) ? '?' : kind->second;
  }
  if (letters.empty())
    f.refuse("layers_block_type", "hybrid_override_pattern or layers_block_type is missing",
             "add one of them");
  return letters;
}

// What a pattern must hold for a model of this family.
static void check_pattern(Fields& f, const training::ModelSpec& m) {
  const std::string& pattern = m.layer_pattern;
  const char* const key = f.has("hybrid_override_pattern") ? "hybrid_override_pattern" : "layers_block_type";
  if (pattern.find_first_not_of("M*-E") != std::string::npos)
    f.refuse(key, "layers of another kind than M (Mamba-2), * (attention), - (net) and E (experts)");
  if (pattern.size() > most_pattern_layers) f.refuse(key, "there are more than 4096 layers");
  if (static_cast<std::size_t>(m.layers) != pattern.size())
    f.refuse("num_hidden_layers",
             "the pattern has another number of layers: " + std::to_string(pattern.size()));
  if (pattern.find('M') == std::string::npos) f.refuse(key, "no layer is a Mamba-2 layer");
}

static void read_experts(Fields& f, training::ModelSpec& m) {
  m.experts = f.count("n_routed_experts", {1, 65536});
  m.experts_per_token = f.count("num_experts_per_tok", {1, 65536});
  m.expert_ffn_hidden = f.count("moe_intermediate_size", {1, 1 << 24});
  m.shared_expert_hidden = f.count_or("moe_shared_expert_intermediate_size", 0, {0, 1 << 24});
  if (f.has("moe_latent_size"))
    f.refuse("moe_latent_size", "experts work on a narrower vector than the layers' (latent experts)");
  const std::int32_t groups = f.count_or("n_group", 1, {1, 65536}),
                     chosen = f.count_or("topk_group", 1, {1, 65536});
  if (groups > 1 && chosen < groups) m.routing_groups = groups, m.groups_per_token = chosen;
}

static void read_mamba(Fields& f, training::ModelSpec& m) {
  m.mamba = {.heads = f.count("mamba_num_heads", {1, 65536}),
             .head_dim = f.count("mamba_head_dim", {1, 65536}),
             .groups = f.count_or("n_groups", 8, {1, 65536}),
             .state = f.count("ssm_state_size", {1, 65536}),
             .convolution = f.count_or("conv_kernel", 4, {1, 65536}),
             .chunk = f.count_or("chunk_size", 128, {1, 1 << 24})};
  for (const char* bias : {"use_bias", "mamba_proj_bias", "attention_bias", "mlp_bias"})
    if (f.flag(bias, false)) f.refuse(bias, "products of hybrid models have biases here");
  if (f.has("sliding_window")) f.refuse("sliding_window", "attention layers of hybrid models have a window");
  if (!f.flag("use_conv_bias", true))
    f.refuse("use_conv_bias", "the convolution of Mamba layers has no bias");
}

static constexpr const char* model_types[] = {"nemotron_h"};

static void read(Fields& f, training::ModelSpec& m) {
  m.layer_pattern = pattern_of(f);
  m.layers = f.count_or("num_hidden_layers", std::max(1, static_cast<std::int32_t>(m.layer_pattern.size())),
                        {1, 65536});
  check_pattern(f, m);
  m.hidden = f.count("hidden_size", {1, 1 << 24});
  m.vocab = f.count("vocab_size", {1, 1 << 28});
  m.max_positions = f.count_or("max_position_embeddings", 4096);
  m.tied_embeddings = f.flag("tie_word_embeddings", false);
  m.heads = f.count("num_attention_heads", {1, 65536});
  m.kv_heads = f.count_or("num_key_value_heads", 8, {1, 65536});
  m.head_dim = f.count_or(f.has("attention_head_dim") ? "attention_head_dim" : "head_dim", 128, {1, 65536});
  read_net(f, m, false, "mlp_hidden_act");
  m.norm = training::Norm::rms;
  m.positions = training::Positions::none;
  m.linear_bias = false;
  read_mamba(f, m);
  if (m.layer_pattern.find('E') != std::string::npos) read_experts(f, m);
  f.skip({"head_dim", "layer_types", "expand", "mamba_hidden_act", "n_routed_experts", "num_experts_per_tok",
          "moe_intermediate_size", "moe_shared_expert_intermediate_size", "n_shared_experts", "n_group",
          "topk_group", "moe_shared_expert_overlap", "num_query_groups"});
}

extern const Architecture nemotron_h{
    .model_types = model_types, .source = "transformers 5.24, models/nemotron_h", .read = read};

}  // namespace echo::hugging_face::architectures
