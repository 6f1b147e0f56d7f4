// Qwen 2 and 2.5: Llama with biases of queries, keys and values.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"qwen2"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  m.qkv_bias = true;
  refuse_switched_windows(f);
}

extern const Architecture qwen2{
    .model_types = model_types, .source = "transformers 5.24, models/qwen2", .read = read};

}  // namespace echo::hugging_face::architectures
