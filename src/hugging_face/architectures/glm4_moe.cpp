// GLM-4.5 and 4.6: many experts, shared ones, dense layers at the start.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"glm4_moe"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_qkv_bias(f, m, false);
  m.query_key_norm = f.flag("use_qk_norm", false);
  read_routed_experts(f, m);
}

extern const Architecture glm4_moe{
    .model_types = model_types, .source = "transformers 5.24, models/glm4_moe", .read = read};

}  // namespace echo::hugging_face::architectures
