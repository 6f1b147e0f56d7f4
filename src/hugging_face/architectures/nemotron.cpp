// Nemotron-4 and Minitron: layer norms, squared ReLU without a gate.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"nemotron"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m);
  read_heads(f, m);
  read_net(f, m, false);
  m.positions = training::Positions::rope;
  read_biases(f, m);
}

extern const Architecture nemotron{
    .model_types = model_types, .source = "transformers 5.24, models/nemotron", .read = read};

}  // namespace echo::hugging_face::architectures
