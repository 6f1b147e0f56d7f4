#include "config/toml/document_limits.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/printable.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {

namespace {

// Walks over the text as far as keys are concerned: strings and comments are skipped, wrong syntax is the
// parser's business. A dot between two digits may be a real number's; nobody writes sixteen of them in one.
class KeyScan {
 public:
  explicit KeyScan(std::string_view text) : rest_(text) {}

  // The place of the first key of too many parts; line and column only.
  std::optional<Place> too_long() {
    std::size_t parts = 1;
    bool is_begun = false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      const bool separates = c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '\n';
      if (separates) parts = 1, is_begun = false;
      if (!separates && !is_begun && c != ' ' && c != '\t') start_ = {{}, line_, column_, 1}, is_begun = true;
      if (c == '.' && ++parts > most_key_parts) return start_;
      if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (c == '#') {
        skip(std::min(rest_.find('\n'), rest_.size()));
      } else {
        skip(1);
      }
    }
    return std::nullopt;
  }

 private:
  void skip(std::size_t bytes) {
    for (const char c : rest_.substr(0, bytes)) {
      ++column_;
      if (c == '\n') ++line_, column_ = 1;
    }
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool is_long = rest_.starts_with(three);
    const std::string_view end = is_long ? std::string_view(three) : std::string_view(three).substr(0, 1);
    std::size_t at = end.size();
    while (at < rest_.size() && !rest_.substr(at).starts_with(end)) {
      if (!is_long && rest_[at] == '\n') return skip(at);  // never closed
      at += quote == '"' && rest_[at] == '\\' ? 2 : 1;
    }
    skip(std::min(at + end.size(), rest_.size()));
  }

  std::string_view rest_;
  std::int32_t line_ = 1, column_ = 1;
  Place start_;
};

// The first control character of a text, as a terminal would be shown it; empty: it has none.
std::string control_in(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  if (std::all_of(text.begin(), text.end(), is_plain)) return {};  // nearly every text
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);  // TOML is UTF-8
    const std::string_view one = text.substr(0, length);
    const bool is_space = one == "\n" || one == "\t" || one == "\r";
    if (!is_space && is_control_character(one)) return printable(one);
    text.remove_prefix(length);
  }
  return {};
}

bool check_text(std::string_view text, const Place& place, const std::string& what, Problems& problems) {
  if (text.size() > most_text_bytes) {
    Place start = place;
    start.length = 1;
    problems.error(start, what + " of " + std::to_string(text.size()) + " bytes is too long",
                   "write " + std::to_string(most_text_bytes) + " bytes or fewer");
    return false;
  }
  if (const std::string control = control_in(text); !control.empty())
    problems.error(place, what + " holds the control character " + control, "remove it");
  return true;
}

bool check_node(const toml::node& node, Problems& problems) {
  bool fine = true;
  if (const auto* text = node.as_string()) return check_text(text->get(), place_of(node), "a text", problems);
  if (const toml::array* list = node.as_array())
    for (const toml::node& one : *list) fine = check_node(one, problems) && fine;
  if (const toml::table* table = node.as_table()) fine = may_be_read(*table, problems);
  return fine;
}

}  // namespace

bool may_be_parsed(std::string_view text, const std::string& file, Problems& problems) {
  if (text.size() > most_document_bytes) {
    problems.error({file, 0, 0, 1}, "this file has " + std::to_string(text.size() >> 20) + " MiB",
                   "a TOML file has at most " + std::to_string(most_document_bytes >> 20) + " MiB");
    return false;
  }
  auto place = KeyScan(text).too_long();
  if (!place) return true;
  place->file = file;
  problems.error(*place, "this key has more than " + std::to_string(most_key_parts) + " parts",
                 "no key has so many; the rest of this file could not be checked");
  return false;
}

bool may_be_read(const toml::table& table, Problems& problems) {
  bool fine = true;
  for (auto it = table.begin(); it != table.end(); ++it) {
    fine = check_text(it->first.str(), place_of(it->first), "a key", problems) && fine;
    fine = check_node(it->second, problems) && fine;
  }
  return fine;
}

}  // namespace echo::config
