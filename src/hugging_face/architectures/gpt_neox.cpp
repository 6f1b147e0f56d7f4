// GPT-NeoX and Pythia: rotary positions on a part of each head, biases, attention and net side by side.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"gpt_neox"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m);
  read_heads(f, m);
  read_net(f, m, false);
  m.positions = training::Positions::rope;
  if (!f.flag("attention_bias", true))
    f.refuse("attention_bias", "the feed-forward net alone has biases",
             "the simulator knows biases of all products, or of queries, keys and values alone");
  if (f.flag("use_parallel_residual", true)) f.note(side_by_side);
}

extern const Architecture gpt_neox{
    .model_types = model_types, .source = "transformers 5.24, models/gpt_neox", .read = read};

}  // namespace echo::hugging_face::architectures
