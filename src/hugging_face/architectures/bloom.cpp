// BLOOM: ALiBi positions, a norm behind the embedding, biases, one table of embeddings.
#include <algorithm>

#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"bloom"};

static void read(Fields& f, training::ModelSpec& m) {
  m.layers = f.count(f.has("n_layer") ? "n_layer" : "num_hidden_layers", {1, 65536});
  m.hidden = f.count(f.has("n_embed") ? "n_embed" : "hidden_size", {1, 1 << 24});
  m.heads = m.kv_heads = f.count(f.has("n_head") ? "n_head" : "num_attention_heads", {1, 65536});
  m.head_dim = std::max(1, m.hidden / m.heads);
  m.ffn_hidden = 4 * m.hidden;
  m.vocab = f.count_or("vocab_size", 250880, {1, 1 << 28});
  m.max_positions = f.count_or("seq_length", 2048);
  m.positions = training::Positions::alibi;
  m.embedding_norm = true;
  m.tied_embeddings = f.flag("tie_word_embeddings", true);
  f.skip({"apply_residual_connection_post_layernorm", "slow_but_exact", "skip_bias_add", "skip_bias_add_qkv",
          "masked_softmax_fusion", "bias_dropout_fusion", "attention_softmax_in_fp32", "offset_alibi",
          "num_hidden_layers", "hidden_size", "num_attention_heads", "unk_token_id"});
}

extern const Architecture bloom{
    .model_types = model_types, .source = "transformers 5.24, models/bloom", .read = read};

}  // namespace echo::hugging_face::architectures
