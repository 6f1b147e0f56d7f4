// Llama 1 to 3, and all that publish their weights in its form.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"llama"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_biases(f, m);
}

extern const Architecture llama{
    .model_types = model_types, .source = "transformers 5.24, models/llama", .read = read};

}  // namespace echo::hugging_face::architectures
