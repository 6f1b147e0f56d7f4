// OLMo 2: norms behind the halves, and of queries and keys over all heads at once.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"olmo2"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  read_biases(f, m);
  m.whole_query_key_norm = true;
  f.note("norms follow the halves instead of preceding them: the same kernels, parameters and memory");
}

extern const Architecture olmo2{
    .model_types = model_types, .source = "transformers 5.24, models/olmo2", .read = read};

}  // namespace echo::hugging_face::architectures
