// Reads the config.json of a Hugging Face model as a ModelSpec.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/problems.hpp"
#include "training/model.hpp"

namespace echo::hugging_face {

struct ModelConfig {
  training::ModelSpec model;       // without name and source
  std::string model_type;          // the architecture, as the file calls it
  std::vector<std::string> notes;  // what the preset does not say of the model, a phrase each
};

// `text` is that of the file; of a model that also sees or hears, its "text_config" is read. Nothing, and
// every problem, where the file is malformed, its numbers are out of bounds, its architecture is not known,
// or the model has something that the simulator lacks.
[[nodiscard]] std::optional<ModelConfig> read_model_config(const std::string& text, const std::string& file,
                                                           Problems&);

}  // namespace echo::hugging_face
