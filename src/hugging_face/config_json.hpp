// A config.json as an object with the place of every key, for messages.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/problems.hpp"

namespace echo::hugging_face {

inline constexpr std::size_t most_config_bytes = std::size_t{4} << 20;  // published ones have a few KiB
inline constexpr int deepest_config = 16;                               // objects and lists within each other

struct ConfigJson {
  nlohmann::json object;  // of the whole file
  // The places of keys by their path ("text_config.hidden_size"); keys inside lists have none.
  std::map<std::string, Place> places;
};

// Nothing, and one problem, where the text is not one JSON object or is past the bounds above; keys that an
// object has twice are problems too.
[[nodiscard]] std::optional<ConfigJson> parse_config_json(const std::string& text, const std::string& file,
                                                          Problems&);

}  // namespace echo::hugging_face
