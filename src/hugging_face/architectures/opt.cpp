// OPT: GPT-3's shape with two unused rows before the learned positions.
#include <algorithm>

#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"opt"};

static void read(Fields& f, training::ModelSpec& m) {
  m.layers = f.count("num_hidden_layers", {1, 65536});
  m.hidden = f.count("hidden_size", {1, 1 << 24});
  m.heads = m.kv_heads = f.count("num_attention_heads", {1, 65536});
  m.head_dim = std::max(1, m.hidden / m.heads);
  m.ffn_hidden = f.count("ffn_dim", {1, 1 << 26});
  m.vocab = f.count_or("vocab_size", 50272, {1, 1 << 28});
  m.max_positions = f.count_or("max_position_embeddings", 2048);
  m.position_offset = 2;
  m.tied_embeddings = f.flag("tie_word_embeddings", true);
  m.norm_weights = f.flag("layer_norm_elementwise_affine", true);
  (void)f.word("activation_function", "");
  if (f.count_or("word_embed_proj_dim", m.hidden) != m.hidden)
    f.refuse("word_embed_proj_dim", "products between the embedding and the layers change the width");
  if (!f.flag("do_layer_norm_before", true))
    f.refuse("do_layer_norm_before", "norms follow the residual sums, and the last layer has none behind it");
  if (f.flag("_remove_final_layer_norm", false))
    f.refuse("_remove_final_layer_norm", "no norm follows the last layer");
  if (!f.flag("enable_bias", true))
    f.refuse("enable_bias", "layer norms have biases, but products have none");
}

extern const Architecture opt{
    .model_types = model_types, .source = "transformers 5.24, models/opt", .read = read};

}  // namespace echo::hugging_face::architectures
