// Qwen 3: Llama with norms of each head of queries and keys.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"qwen3"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m);
  read_heads(f, m, 128);
  read_net(f, m, true);
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  read_biases(f, m);
  m.query_key_norm = true;
  refuse_switched_windows(f);
}

extern const Architecture qwen3{
    .model_types = model_types, .source = "transformers 5.24, models/qwen3", .read = read};

}  // namespace echo::hugging_face::architectures
