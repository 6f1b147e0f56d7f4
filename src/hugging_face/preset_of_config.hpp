// Writes a ModelSpec as a file of a preset.
#pragma once

#include <string>

#include "base/problems.hpp"
#include "hugging_face/read_config.hpp"

namespace echo::hugging_face {

// The text of models/NAME.toml, which reads as the same model, with its notes and its number of parameters as
// comments. `source` says where config.json comes from.
[[nodiscard]] std::string preset_text(const ModelConfig&, const std::string& name, const std::string& source);

}  // namespace echo::hugging_face
