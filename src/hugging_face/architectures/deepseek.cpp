// DeepSeek V2, V3 and R1, Kimi K2: latent attention, many experts, shared ones, dense layers at the start.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

// Multi-head latent attention.
static void read_latent_attention(Fields& f, training::ModelSpec& m) {
  m.latent.query_rank = f.count_or("q_lora_rank", 0, {0, 1 << 24});
  m.latent.key_value_rank = f.count("kv_lora_rank", {1, 1 << 24});
  m.latent.nope_dim = f.count("qk_nope_head_dim", {1, 65536});
  m.latent.rope_dim = f.count("qk_rope_head_dim", {1, 65536});
  m.latent.value_dim = f.count("v_head_dim", {1, 65536});
  m.head_dim = m.latent.nope_dim;
  m.kv_heads = m.heads;
}

static constexpr const char* model_types[] = {"deepseek_v2", "deepseek_v3", "kimi_k2"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m);
  m.heads = f.count("num_attention_heads", {1, 65536});
  read_latent_attention(f, m);
  read_net(f, m, true);
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  read_biases(f, m);
  read_routed_experts(f, m);
  if (f.count_or("moe_layer_freq", 1, {1, 65536}) != 1)
    f.refuse("moe_layer_freq", "experts are in some layers behind the dense ones only");
  f.skip({"num_key_value_heads", "head_dim", "qk_head_dim", "aux_loss_alpha", "num_local_experts"});
}

extern const Architecture deepseek{.model_types = model_types,
                                   .source = "transformers 5.24, models/deepseek_v2 and deepseek_v3",
                                   .read = read};

}  // namespace echo::hugging_face::architectures
