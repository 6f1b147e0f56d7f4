// Gemma 2: norms before and after both halves, a window in every other layer.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"gemma2"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m, {.tied = true});
  read_heads(f, m, 256);
  read_net(f, m, true, "hidden_activation");
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  m.post_norms = true;
  read_biases(f, m);
  set_window(f, m, f.count_or("sliding_window", 4096, {0, 1000000000}), 2);
  f.skip({"hidden_act", "query_pre_attn_scalar", "cache_implementation"});
}

extern const Architecture gemma2{
    .model_types = model_types, .source = "transformers 5.24, models/gemma2", .read = read};

}  // namespace echo::hugging_face::architectures
