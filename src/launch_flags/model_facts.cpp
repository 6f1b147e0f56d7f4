#include <array>
#include <charconv>
#include <optional>

#include "base/at.hpp"
#include "launch_flags/facts.hpp"
#include "training/model_words.hpp"

namespace echo::launch_flags {

using training::ModelSpec;

namespace {

// The part of a model to which a field belongs: a model without the part has no fact of it.
enum class Part { shape, experts, latent, window, mamba };

struct NumberField {
  const char* name;
  Part part;
  std::int32_t& (*of)(ModelSpec&);
};
struct FlagField {
  const char* name;
  bool ModelSpec::*member;
};

// clang-format off
constexpr NumberField numbers[] = {
    {"layers", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.layers; }},
    {"hidden", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.hidden; }},
    {"heads", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.heads; }},
    {"kv_heads", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.kv_heads; }},
    {"head_dim", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.head_dim; }},
    {"ffn_hidden", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.ffn_hidden; }},
    {"vocab", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.vocab; }},
    {"max_positions", Part::shape, [](ModelSpec& m) -> std::int32_t& { return m.max_positions; }},
    {"experts", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.experts; }},
    {"experts_per_token", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.experts_per_token; }},
    {"expert_ffn_hidden", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.expert_ffn_hidden; }},
    {"shared_expert_hidden", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.shared_expert_hidden; }},
    {"routing_groups", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.routing_groups; }},
    {"groups_per_token", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.groups_per_token; }},
    {"first_dense_layers", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.first_dense_layers; }},
    {"moe_interval", Part::experts, [](ModelSpec& m) -> std::int32_t& { return m.moe_interval; }},
    {"latent.query_rank", Part::latent, [](ModelSpec& m) -> std::int32_t& { return m.latent.query_rank; }},
    {"latent.key_value_rank", Part::latent, [](ModelSpec& m) -> std::int32_t& { return m.latent.key_value_rank; }},
    {"latent.nope_dim", Part::latent, [](ModelSpec& m) -> std::int32_t& { return m.latent.nope_dim; }},
    {"latent.rope_dim", Part::latent, [](ModelSpec& m) -> std::int32_t& { return m.latent.rope_dim; }},
    {"latent.value_dim", Part::latent, [](ModelSpec& m) -> std::int32_t& { return m.latent.value_dim; }},
    {"window", Part::window, [](ModelSpec& m) -> std::int32_t& { return m.local.span; }},
    {"full_attention_interval", Part::window, [](ModelSpec& m) -> std::int32_t& { return m.local.full_interval; }},
    {"mamba.heads", Part::mamba, [](ModelSpec& m) -> std::int32_t& { return m.mamba.heads; }},
    {"mamba.head_dim", Part::mamba, [](ModelSpec& m) -> std::int32_t& { return m.mamba.head_dim; }},
    {"mamba.groups", Part::mamba, [](ModelSpec& m) -> std::int32_t& { return m.mamba.groups; }},
    {"mamba.state", Part::mamba, [](ModelSpec& m) -> std::int32_t& { return m.mamba.state; }},
};
constexpr FlagField flags[] = {
    {"post_norms", &ModelSpec::post_norms},
    {"attention_sinks", &ModelSpec::attention_sinks},
    {"scaled_positions", &ModelSpec::scaled_positions},
    {"clamped_activation", &ModelSpec::clamped_activation},
    {"query_key_norm", &ModelSpec::query_key_norm},
    {"gated_ffn", &ModelSpec::gated_ffn},
    {"tied_embeddings", &ModelSpec::tied_embeddings},
    {"linear_bias", &ModelSpec::linear_bias},
};
// clang-format on

bool has(const ModelSpec& model, Part part) {
  switch (part) {
    case Part::shape:
      return true;
    case Part::experts:
      return model.has_experts();
    case Part::latent:
      return model.has_latent_attention();
    case Part::window:
      return model.local.span > 0 && !model.local.chunked;
    case Part::mamba:
      return model.mamba.heads > 0;
  }
  return false;
}

std::optional<std::int32_t> number_in(const Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  if (found == facts.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

template <std::size_t n>
std::int32_t word_in(const Facts& facts, const char* name, const std::array<std::string_view, n>& words) {
  const auto found = facts.find(std::string("model.") + name);
  for (std::size_t i = 0; found != facts.end() && i < n; ++i)
    if (found->second == words[i]) return static_cast<std::int32_t>(i);
  return -1;
}

// Source: Megatron-LM core/transformer/transformer_config.py, core/ssm/mamba_mixer.py (expand = 2).
template <class Missing>
void fill_mamba(ModelSpec& m, const Missing& missing) {
  if (missing("mamba.head_dim")) m.mamba.head_dim = 64;
  if (missing("mamba.groups")) m.mamba.groups = 8;
  if (missing("mamba.state")) m.mamba.state = 128;
  if (missing("mamba.heads") && m.mamba.head_dim > 0) m.mamba.heads = 2 * m.hidden / m.mamba.head_dim;
}

// What Megatron-LM's arguments.py derives where a flag is missing.
void fill_shape(ModelSpec& m, const Facts& facts, std::vector<std::string>& unknown) {
  const auto missing = [&](const char* name) { return !number_in(facts, std::string("model.") + name); };
  if (missing("kv_heads")) m.kv_heads = m.heads;
  if (missing("head_dim") && m.heads > 0) m.head_dim = m.hidden / m.heads;
  constexpr double gated_width = 4.0 * 2.0 / 3.0;
  if (missing("ffn_hidden"))
    m.ffn_hidden = m.gated_ffn ? static_cast<std::int32_t>(m.hidden * gated_width / 64.0) * 64
                               : static_cast<std::int32_t>(std::int64_t{4} * m.hidden);
  if (!m.layer_pattern.empty()) m.layers = static_cast<std::int32_t>(m.layer_pattern.size());
  if (m.layer_pattern.find('M') != std::string::npos) fill_mamba(m, missing);
  for (const char* name : {"layers", "hidden", "heads", "vocab"})
    if (missing(name) && (name != std::string_view("layers") || m.layer_pattern.empty()))
      unknown.emplace_back(name);
}

// Parts that the model lacks keep none of their defaults.
void drop_missing_parts(ModelSpec& m, const Facts& facts) {
  if (!m.has_experts()) {
    m.experts_per_token = m.expert_ffn_hidden = m.shared_expert_hidden = 0;
    m.routing_groups = m.groups_per_token = m.first_dense_layers = 0;
    m.moe_interval = 1;
  } else if (!number_in(facts, "model.expert_ffn_hidden")) {
    m.expert_ffn_hidden = m.ffn_hidden;
  }
  if (!m.has_latent_attention()) m.latent = {};
  if (m.mamba.heads == 0) m.mamba = {};
  if (m.local.span == 0) m.local = {};
}

}  // namespace

Facts model_facts(const ModelSpec& model) {
  ModelSpec m = model;
  Facts facts;
  for (const NumberField& field : numbers)
    if (has(model, field.part)) facts[field.name] = std::to_string(field.of(m));
  for (const FlagField& field : flags) facts[field.name] = m.*field.member ? "true" : "false";
  facts["norm"] = training::norm_words.at(at(m.norm));
  facts["positions"] = training::position_words.at(at(m.positions));
  if (!m.layer_pattern.empty()) facts["layer_pattern"] = m.layer_pattern;
  if (m.local.chunked) facts["attention_chunk"] = std::to_string(m.local.span);
  if (m.local.span > 0) facts["full_attention_positions"] = m.local.full_has_positions ? "true" : "false";
  return facts;
}

DescribedModel model_of(const Facts& facts) {
  DescribedModel out;
  ModelSpec& m = out.spec;
  for (const NumberField& field : numbers)
    if (const auto value = number_in(facts, std::string("model.") + field.name)) field.of(m) = *value;
  for (const FlagField& field : flags) {
    const auto found = facts.find(std::string("model.") + field.name);
    if (found != facts.end()) m.*field.member = found->second == "true";
  }
  if (const std::int32_t norm = word_in(facts, "norm", training::norm_words); norm >= 0)
    m.norm = static_cast<training::Norm>(norm);
  if (const std::int32_t word = word_in(facts, "positions", training::position_words); word >= 0)
    m.positions = static_cast<training::Positions>(word);
  if (const auto pattern = facts.find("model.layer_pattern"); pattern != facts.end())
    m.layer_pattern = pattern->second;
  if (const auto left = number_in(facts, "window_left")) m.local.span = *left + 1;
  if (const auto list = facts.find("moe_layers"); list != facts.end() && m.has_experts())
    if (!read_moe_layers(list->second, m)) out.unknown.emplace_back("first_dense_layers");
  if (const auto norms = facts.find("qk_layernorm"); norms != facts.end())
    m.query_key_norm = norms->second == "true" && !m.has_latent_attention();
  fill_shape(m, facts, out.unknown);
  drop_missing_parts(m, facts);
  return out;
}

}  // namespace echo::launch_flags
