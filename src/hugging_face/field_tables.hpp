// What fields mean whatever the architecture: those without consequences for a training step, those that the
// preset leaves to other choices, and those that tell of something the simulator lacks.
#pragma once

#include <span>
#include <string_view>

namespace echo::hugging_face {

// Tokens' numbers, initial values, dropout, generation, precision on disk, angles of positions.
[[nodiscard]] bool is_neutral(std::string_view field);

struct FieldNote {
  std::string_view field, note;
};
[[nodiscard]] std::span<const FieldNote> noted_fields();
[[nodiscard]] std::span<const FieldNote> lacking_fields();  // note: what the simulator lacks

}  // namespace echo::hugging_face
