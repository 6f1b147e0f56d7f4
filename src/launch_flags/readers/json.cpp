// Reading JSON. Its syntax is checked by a reader of JSON, which knows no places of values; YAML, of which
// JSON is a part, then gives the settings with theirs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/place_in_text.hpp"
#include "launch_flags/readers/readers.hpp"

namespace echo::launch_flags {

namespace {

// The place of the byte before which the reader stopped.
Place place_before(const std::string& text, std::size_t byte, const std::string& file) {
  return place_in_text(text, byte > 0 ? byte - 1 : 0, file);
}

// The place of the number that the reader's message quotes without one: "number overflow parsing '1e999'".
Place place_of_number(const std::string& text, const std::string& message, const std::string& file) {
  const std::size_t quote = std::min(message.find('\''), message.size());
  const std::string number = message.substr(std::min(quote + 1, message.size()));
  const std::size_t at = text.find(number.substr(0, number.find('\'')));
  return place_in_text(text, at == std::string::npos ? 0 : at, file);
}

// Brackets that are open at once; a deep document is refused before anything recurses into it.
bool is_shallow(const std::string& text) {
  constexpr int deepest = 64;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (depth > deepest) return false;
  }
  return true;
}

}  // namespace

Settings read_json(const std::string& text, const std::string& file, Problems& problems) {
  if (text.size() > most_launch_bytes || !is_shallow(text)) {
    problems.error({file, 0, 0, 1}, "the file is larger than 4 MiB or nested deeper than 64 levels",
                   "give the file of one launch");
    return {};
  }
  try {
    const nlohmann::json root = nlohmann::json::parse(text);
    if (!root.is_object()) {
      problems.error({file, 1, 1, 1}, "the file is no object of settings", "write { \"NAME\": value }");
      return {};
    }
    if (root.empty()) return {};
  } catch (const nlohmann::json::parse_error& error) {
    problems.error(place_before(text, error.byte, file), "this is not JSON",
                   "correct it there or shortly before");
    return {};
  } catch (const nlohmann::json::out_of_range& error) {  // 1e999
    problems.error(place_of_number(text, error.what(), file), "a number is out of range",
                   "give one of at most 1e308");
    return {};
  }
  std::string spaced = text;
  std::ranges::replace(spaced, '\t', ' ');  // YAML indents by blanks only; no JSON text holds a tab
  return read_yaml(spaced, file, problems);
}

}  // namespace echo::launch_flags
