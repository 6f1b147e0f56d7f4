// Gemma 1: Llama with heads wider than hidden / heads and one table of embeddings.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"gemma"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m, {.tied = true});
  read_heads(f, m, 256);
  read_net(f, m, true, f.has("hidden_activation") ? "hidden_activation" : "hidden_act");
  f.skip({"hidden_act"});
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  read_biases(f, m);
}

extern const Architecture gemma{
    .model_types = model_types, .source = "transformers 5.24, models/gemma", .read = read};

}  // namespace echo::hugging_face::architectures
