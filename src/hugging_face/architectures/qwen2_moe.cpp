// Qwen 1.5 and 2 with experts, and shared ones behind a gate.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"qwen2_moe"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  m.qkv_bias = f.flag("qkv_bias", true);
  read_sparse_steps(f, m);
  m.shared_expert_hidden = f.count("shared_expert_intermediate_size", {1, 1 << 24});
  m.shared_expert_gate = true;
  refuse_switched_windows(f);
}

extern const Architecture qwen2_moe{
    .model_types = model_types, .source = "transformers 5.24, models/qwen2_moe", .read = read};

}  // namespace echo::hugging_face::architectures
