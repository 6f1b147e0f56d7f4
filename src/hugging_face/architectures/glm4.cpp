// GLM-4 of April 2025: GLM with norms before and after both halves.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"glm4"};

static void read(Fields& f, training::ModelSpec& m) {
  read_sizes(f, m);
  read_heads(f, m, 128);
  read_net(f, m, true);
  m.norm = training::Norm::rms;
  m.positions = training::Positions::rope;
  m.post_norms = true;
  read_qkv_bias(f, m, false);
}

extern const Architecture glm4{
    .model_types = model_types, .source = "transformers 5.24, models/glm4", .read = read};

}  // namespace echo::hugging_face::architectures
