// Qwen 3 with experts.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"qwen3_moe"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_biases(f, m);
  m.query_key_norm = true;
  read_sparse_steps(f, m);
  refuse_switched_windows(f);
}

extern const Architecture qwen3_moe{
    .model_types = model_types, .source = "transformers 5.24, models/qwen3_moe", .read = read};

}  // namespace echo::hugging_face::architectures
