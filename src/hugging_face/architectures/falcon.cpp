// Falcon: one key-value head or few, attention and net side by side behind one norm or two.
#include <algorithm>

#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"falcon"};

static void read(Fields& f, training::ModelSpec& m) {
  m.layers = f.count("num_hidden_layers", {1, 65536});
  m.hidden = f.count("hidden_size", {1, 1 << 24});
  m.heads = f.count("num_attention_heads", {1, 65536});
  m.head_dim = std::max(1, m.hidden / m.heads);
  const bool grouped = f.flag("new_decoder_architecture", false);
  const bool one_head = f.flag("multi_query", true);
  const std::int32_t groups = f.count_or("num_kv_heads", m.heads, {1, 65536});
  m.kv_heads = grouped ? groups : (one_head ? 1 : m.heads);
  m.ffn_hidden = f.count_or("ffn_hidden_size", 4 * m.hidden, {1, 1 << 26});
  m.vocab = f.count_or("vocab_size", 65024, {1, 1 << 28});
  m.max_positions = f.count_or("max_position_embeddings", 2048);
  m.linear_bias = f.flag("bias", false);
  m.positions = f.flag("alibi", false) ? training::Positions::alibi : training::Positions::rope;
  m.tied_embeddings = f.flag("tie_word_embeddings", true);
  const bool parallel = f.flag("parallel_attn", true);
  m.single_norm = f.count_or("num_ln_in_parallel_attn", grouped ? 2 : 1, {1, 2}) == 1 && parallel;
  if (parallel) f.note(side_by_side);
  (void)f.word("activation", "");
}

extern const Architecture falcon{
    .model_types = model_types, .source = "transformers 5.24, models/falcon", .read = read};

}  // namespace echo::hugging_face::architectures
