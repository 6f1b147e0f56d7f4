#include "hugging_face/preset_of_config.hpp"

#include <cstdint>
#include <vector>

#include "base/at.hpp"
#include "base/printable.hpp"
#include "config/toml/toml_text.hpp"
#include "training/model_words.hpp"

namespace echo::hugging_face {

namespace {

using training::ModelSpec;

class Lines {
 public:
  explicit Lines(std::string& text) : text_(text) {}
  void number(const std::string& key, std::int64_t value) { line(key, std::to_string(value)); }
  void number_unless(std::int64_t otherwise, const std::string& key, std::int64_t value) {
    if (value != otherwise) number(key, value);
  }
  void truth(const std::string& key, bool value) { line(key, value ? "true" : "false"); }
  void truth_unless(bool otherwise, const std::string& key, bool value) {
    if (value != otherwise) truth(key, value);
  }
  void line(const std::string& key, const std::string& value) { text_ += key + " = " + value + "\n"; }

 private:
  std::string& text_;
};

void write_experts(Lines& lines, const ModelSpec& m) {
  if (!m.has_experts()) return;
  lines.number("experts", m.experts);
  lines.number("experts_per_token", m.experts_per_token);
  lines.number("expert_ffn_hidden", m.expert_ffn_hidden);
  lines.number_unless(0, "shared_expert_hidden", m.shared_expert_hidden);
  lines.truth_unless(false, "shared_expert_gate", m.shared_expert_gate);
  lines.number_unless(0, "routing_groups", m.routing_groups);
  lines.number_unless(0, "groups_per_token", m.groups_per_token);
  lines.number_unless(0, "first_dense_layers", m.first_dense_layers);
  lines.number_unless(1, "moe_interval", m.moe_interval);
}

void write_kinds(Lines& lines, const ModelSpec& m) {
  if (!m.layer_pattern.empty()) lines.line("layer_pattern", config::quoted(m.layer_pattern));
  if (m.local.span == 0) return;
  lines.number(m.local.chunked ? "attention_chunk" : "window", m.local.span);
  lines.number_unless(0, "full_attention_interval", m.local.full_interval);
  lines.truth_unless(true, "full_attention_positions", m.local.full_has_positions);
}

void write_parts(Lines& lines, const ModelSpec& m) {
  lines.truth_unless(false, "post_norms", m.post_norms);
  lines.truth_unless(true, "norm_weights", m.norm_weights);
  lines.truth_unless(false, "single_norm", m.single_norm);
  lines.truth_unless(false, "embedding_norm", m.embedding_norm);
  lines.truth_unless(false, "query_key_norm", m.query_key_norm);
  lines.truth_unless(false, "whole_query_key_norm", m.whole_query_key_norm);
  lines.truth_unless(false, "attention_sinks", m.attention_sinks);
  lines.truth_unless(false, "scaled_positions", m.scaled_positions);
  lines.truth_unless(false, "clamped_activation", m.clamped_activation);
  lines.number_unless(0, "position_offset", m.position_offset);
  lines.truth_unless(false, "qkv_bias", m.qkv_bias);
  lines.truth_unless(false, "head_bias", m.head_bias);
  lines.truth("gated_ffn", m.gated_ffn);
  lines.truth("tied_embeddings", m.tied_embeddings);
  lines.truth("linear_bias", m.linear_bias);
  lines.line("norm", config::quoted(std::string(training::norm_words.at(at(m.norm)))));
  lines.line("positions", config::quoted(std::string(training::position_words.at(at(m.positions)))));
}

void write_tables(std::string& text, const ModelSpec& m) {
  Lines lines(text);
  if (m.has_latent_attention()) {
    text += "\n[latent_attention]\n";
    lines.number("query_rank", m.latent.query_rank);
    lines.number("key_value_rank", m.latent.key_value_rank);
    lines.number("nope_dim", m.latent.nope_dim);
    lines.number("rope_dim", m.latent.rope_dim);
    lines.number("value_dim", m.latent.value_dim);
  }
  if (m.mamba.heads > 0) {
    text += "\n[mamba]\n";
    lines.number("heads", m.mamba.heads);
    lines.number("head_dim", m.mamba.head_dim);
    lines.number("groups", m.mamba.groups);
    lines.number("state", m.mamba.state);
    lines.number("convolution", m.mamba.convolution);
    lines.number("chunk", m.mamba.chunk);
  }
}

// Behind "# ", on one line.
std::string comment(const std::string& note) {
  std::string line = printable(note);
  for (char& one : line)
    if (one == '\n' || one == '\r' || one == '\t') one = ' ';
  return "# " + line + "\n";
}

}  // namespace

std::string preset_text(const ModelConfig& read, const std::string& name, const std::string& source) {
  const ModelSpec& m = read.model;
  std::string text = comment(std::to_string(training::total_parameters(m)) + " parameters (architecture " +
                             read.model_type + ").");
  for (const std::string& note : read.notes) text += comment("Not said here: " + note + ".");
  text +=
      "# max_positions is also the default length of sequences; trainings mostly use shorter ones "
      "(seq_len).\n";
  Lines lines(text);
  lines.line("name", config::quoted(name));
  lines.line("source", config::quoted(source));
  lines.line("grade", "\"vendor\"");
  text += "\n";
  lines.number("layers", m.layers);
  lines.number("hidden", m.hidden);
  lines.number("heads", m.heads);
  lines.number("kv_heads", m.kv_heads);
  lines.number("head_dim", m.head_dim);
  lines.number("ffn_hidden", m.ffn_hidden);
  lines.number("vocab", m.vocab);
  lines.number("max_positions", m.max_positions);
  write_kinds(lines, m);
  text += "\n";
  write_experts(lines, m);
  write_parts(lines, m);
  write_tables(text, m);
  return text;
}

}  // namespace echo::hugging_face
