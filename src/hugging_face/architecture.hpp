// An architecture of Hugging Face: how its config.json describes a model. Plug-ins in architectures/, one
// file each; a new file is found by the next build.
#pragma once

#include <span>
#include <string_view>

#include "hugging_face/fields.hpp"
#include "training/model.hpp"

namespace echo::hugging_face {

struct Architecture {
  std::span<const char* const> model_types;  // values of "model_type"
  const char* source;                        // where transformers defines it
  // Sets the fields of a ModelSpec that starts from its defaults, all but name and source. Every field of the
  // config that matters is read; what cannot be expressed is refused or noted, never passed over.
  void (*read)(Fields&, training::ModelSpec&);
};

[[nodiscard]] std::span<const Architecture* const> architecture_table();           // sorted by file name
[[nodiscard]] const Architecture* find_architecture(std::string_view model_type);  // null where unknown

}  // namespace echo::hugging_face
