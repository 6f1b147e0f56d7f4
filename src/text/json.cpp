#include "text/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/contract.hpp"
#include "base/printable.hpp"

namespace echo::text {

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0) {
      quoted += "\\ufffd";
    } else if (character == "\"" || character == "\\") {
      quoted += '\\', quoted += character;
    } else if (character == "\n") {
      quoted += "\\n";
    } else if (character == "\t") {
      quoted += "\\t";
    } else if (is_control_character(character)) {
      quoted += fmt::format("\\u{:04x}", utf8_code(character));
    } else {
      quoted += character;
    }
    text.remove_prefix(character.size());
  }
  return quoted + "\"";
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

void Json::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (closers_.empty()) return;
  if (!first_) text_ += ',';
  text_ += '\n';
  text_.append(2 * closers_.size(), ' ');
}

Json& Json::open(char bracket) {
  separate();
  text_ += bracket;
  closers_ += bracket == '{' ? '}' : ']';
  first_ = true;
  return *this;
}

Json& Json::close() {
  ECHO_EXPECT(!closers_.empty() && !after_key_);
  const char closer = closers_.back();
  closers_.pop_back();
  if (!first_) {
    text_ += '\n';
    text_.append(2 * closers_.size(), ' ');
  }
  text_ += closer;
  first_ = false;
  return *this;
}

Json& Json::key(std::string_view name) {
  separate();
  text_ += json_text(name) + ": ";
  first_ = false;
  after_key_ = true;
  return *this;
}

Json& Json::raw(std::string_view token) {
  separate();
  text_ += token;
  first_ = false;
  return *this;
}

}  // namespace echo::text
