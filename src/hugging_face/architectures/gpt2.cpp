// GPT-2: learned positions, biases, layer norms before the halves, one table of embeddings.
#include <algorithm>

#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"gpt2"};

static void read(Fields& f, training::ModelSpec& m) {
  m.layers = f.count("n_layer", {1, 65536});
  m.hidden = f.count("n_embd", {1, 1 << 24});
  m.heads = m.kv_heads = f.count("n_head", {1, 65536});
  m.head_dim = std::max(1, m.hidden / m.heads);
  m.ffn_hidden = f.count_or("n_inner", 4 * m.hidden, {1, 1 << 26});
  m.vocab = f.count_or("vocab_size", 50257, {1, 1 << 28});
  m.max_positions = f.count_or("n_positions", 1024);
  m.tied_embeddings = f.flag("tie_word_embeddings", true);
  if (f.flag("add_cross_attention", false))
    f.refuse("add_cross_attention", "the layers attend to an encoder besides");
  (void)f.word("activation_function", "");
  f.skip({"n_ctx", "scale_attn_weights", "scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn"});
}

extern const Architecture gpt2{
    .model_types = model_types, .source = "transformers 5.24, models/gpt2", .read = read};

}  // namespace echo::hugging_face::architectures
