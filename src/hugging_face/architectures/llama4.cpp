// Llama 4 (its text model): chunks of tokens, every fourth layer without positions, shared experts.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

// Layers without positions see all tokens, the others those of their chunk.
static void read_chunks(Fields& f, training::ModelSpec& m) {
  std::vector<bool> sees_all;
  for (const std::string& rotates : f.words("no_rope_layers")) sees_all.push_back(rotates == "0");
  const std::int32_t otherwise = f.count_or("no_rope_layer_interval", 4, {1, 65536});
  const auto interval = full_interval_of(sees_all);
  if (!interval) f.refuse("no_rope_layers", "layers without positions do not come at one distance");
  m.local.span = f.count_or("attention_chunk_size", 8192, {1, 1000000000});
  m.local.chunked = true;
  m.local.full_interval = sees_all.empty() ? otherwise : interval.value_or(otherwise);
  m.local.full_has_positions = false;
  std::vector<bool> listed;
  for (const std::string& type : f.words("layer_types")) listed.push_back(type == "full_attention");
  if (!listed.empty() && full_interval_of(listed) != m.local.full_interval)
    f.refuse("layer_types", "layers that see all tokens are not those without positions");
}

// The list of layers that mix experts says the same as their distance.
static void check_moe_layers(Fields& f, const training::ModelSpec& m) {
  const std::vector<std::string> listed = f.words("moe_layers");
  std::vector<std::string> expected;
  for (std::int32_t i = m.moe_interval; i <= m.layers; i += m.moe_interval)
    expected.push_back(std::to_string(i - 1));
  if (!listed.empty() && listed != expected)
    f.refuse("moe_layers", "layers with experts do not come at the distance interleave_moe_layer_step");
}

static constexpr const char* model_types[] = {"llama4_text", "llama4"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m);
  read_heads(f, m, 128);
  m.ffn_hidden = f.count("intermediate_size_mlp", {1, 1 << 26});
  m.expert_ffn_hidden = m.shared_expert_hidden = f.count("intermediate_size", {1, 1 << 24});
  m.experts = f.count("num_local_experts", {1, 65536});
  m.experts_per_token = f.count_or("num_experts_per_tok", 1, {1, 65536});
  m.moe_interval = f.count_or("interleave_moe_layer_step", 1, {1, 65536});
  m.gated_ffn = true;
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  read_biases(f, m);
  read_chunks(f, m);
  if (f.flag("use_qk_norm", true)) f.note("norms of queries and keys have no weights here and are left out");
  check_moe_layers(f, m);
  (void)f.word("hidden_act", "");
  f.skip({"attn_scale", "attn_temperature_tuning", "floor_scale"});
}

extern const Architecture llama4{
    .model_types = model_types, .source = "transformers 5.24, models/llama4", .read = read};

}  // namespace echo::hugging_face::architectures
