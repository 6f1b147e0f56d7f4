// Preset files as text: a template to fill in, a copy under another name, and the values of one in order.
#pragma once

#include <string>
#include <vector>

namespace echo::config {

// Kinds a user may write: preset_sections() of sweep_keys.hpp. Throws UserError for another one.
// Every key that its reader requests, with an explanation; optional keys are in comments. Reads
// without error once the blanks are filled.
[[nodiscard]] std::string preset_template(const std::string& kind, const std::string& name);

// `text` of a preset file, called `name` instead, with the same values. What the file cites is its own: the
// copy has no source yet, and is assumed. Reads without error once its source is filled in.
[[nodiscard]] std::string renamed_preset(const std::string& text, const std::string& old_name,
                                         const std::string& name);

// One value as written in the file, with its unit, without quotes; keys of inner tables as "peak_dense.bf16".
struct PresetValue {
  std::string key, value;
};
// In the order of the file, without the metadata of the numbers (name, source, grade, date, fit). None
// where the text is not TOML.
[[nodiscard]] std::vector<PresetValue> preset_values(const std::string& text);

}  // namespace echo::config
