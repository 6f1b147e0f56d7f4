// Writes TOML strings and keys.
#pragma once

#include <string>

namespace echo::config {

[[nodiscard]] std::string quoted(const std::string& text);  // a basic string; control characters are left out
[[nodiscard]] std::string key_text(const std::string& name);  // bare if possible, otherwise quoted

}  // namespace echo::config
