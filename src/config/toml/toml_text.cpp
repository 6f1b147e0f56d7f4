#include "config/toml/toml_text.hpp"

#include <algorithm>

namespace echo::config {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + '"';
}

std::string key_text(const std::string& name) {
  const auto is_bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_bare) ? name : quoted(name);
}

}  // namespace echo::config
