// Gemma 3: Gemma 2 with norms of queries and keys, and five layers with a window to one without.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"gemma3_text", "gemma3"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m, {.vocab = 262208, .positions = 131072, .tied = true});
  m.heads = f.count_or("num_attention_heads", 8, {1, 65536});
  m.kv_heads = f.count_or("num_key_value_heads", 4, {1, 65536});
  m.head_dim = f.count_or("head_dim", 256, {1, 65536});
  read_net(f, m, true, "hidden_activation");
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  m.post_norms = m.query_key_norm = true;
  read_biases(f, m);
  const std::int32_t pattern = f.count_or("sliding_window_pattern", 6, {1, 65536});
  set_window(f, m, f.count_or("sliding_window", 4096, {0, 1000000000}), pattern);
  if (f.flag("use_bidirectional_attention", false))
    f.refuse("use_bidirectional_attention", "tokens see later ones", "the simulator knows causal attention");
  f.skip({"query_pre_attn_scalar", "rope_local_base_freq", "cache_implementation"});
}

extern const Architecture gemma3{
    .model_types = model_types, .source = "transformers 5.24, models/gemma3", .read = read};

}  // namespace echo::hugging_face::architectures
