// Mixtral: Mistral with experts in every layer.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"mixtral"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  set_window(f, m, f.count_or("sliding_window", 0, {0, 1000000000}), 0);
  m.experts = f.count("num_local_experts", {1, 65536});
  m.experts_per_token = f.count_or("num_experts_per_tok", 2, {1, 65536});
  m.expert_ffn_hidden = m.ffn_hidden;
}

extern const Architecture mixtral{
    .model_types = model_types, .source = "transformers 5.24, models/mixtral", .read = read};

}  // namespace echo::hugging_face::architectures
