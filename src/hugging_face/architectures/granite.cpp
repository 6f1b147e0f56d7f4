// Granite 3: Llama with factors at the embedding, residual sums and logits.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"granite"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_biases(f, m);
  f.skip({"attention_multiplier", "embedding_multiplier", "logits_scaling", "residual_multiplier"});
}

extern const Architecture granite{
    .model_types = model_types, .source = "transformers 5.24, models/granite", .read = read};

}  // namespace echo::hugging_face::architectures
