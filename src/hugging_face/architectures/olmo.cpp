// OLMo 1: layer norms without weights.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"olmo"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_biases(f, m);
  m.norm = training::Norm::layer;
  m.norm_weights = false;
  if (f.has("clip_qkv")) f.note("clip_qkv: queries, keys and values are clipped, which takes no time here");
}

extern const Architecture olmo{
    .model_types = model_types, .source = "transformers 5.24, models/olmo", .read = read};

}  // namespace echo::hugging_face::architectures
