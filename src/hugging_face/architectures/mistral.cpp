// Mistral: Llama with a window in every layer, or none.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"mistral"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  set_window(f, m, f.count_or("sliding_window", 0, {0, 1000000000}), 0);
}

extern const Architecture mistral{
    .model_types = model_types, .source = "transformers 5.24, models/mistral", .read = read};

}  // namespace echo::hugging_face::architectures
