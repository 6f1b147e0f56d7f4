// Phi 1, 1.5 and 2: attention and net side by side behind one norm, biases everywhere.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"phi"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m, {.positions = 2048});
  read_heads(f, m);
  read_net(f, m, false);
  m.positions = training::Positions::rope;
  m.single_norm = m.head_bias = true;
  f.note(side_by_side);
  if (f.flag("qk_layernorm", false))
    f.refuse("qk_layernorm", "layer norms of each head of queries and keys",
             "the simulator knows RMSNorms there");
}

extern const Architecture phi{
    .model_types = model_types, .source = "transformers 5.24, models/phi", .read = read};

}  // namespace echo::hugging_face::architectures
