// Phi 3 and 4: Llama with a window in every layer, or none.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"phi3"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_biases(f, m);
  set_window(f, m, f.count_or("sliding_window", 0, {0, 1000000000}), 0);
  f.skip({"original_max_position_embeddings"});
}

extern const Architecture phi3{
    .model_types = model_types, .source = "transformers 5.24, models/phi3", .read = read};

}  // namespace echo::hugging_face::architectures
