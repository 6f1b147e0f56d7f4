// Writes JSON (RFC 8259), value by value; numbers without a JSON form (NaN, infinity) become null.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace echo::text {

// Quoted and escaped, with every character that a terminal would obey; bytes that are not UTF-8 become
// U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);
[[nodiscard]] std::string json_number(double value);  // fewest digits that read back equal, or null

class Json {
 public:
  Json& open_object() { return open('{'); }
  Json& open_array() { return open('['); }
  Json& close();
  Json& key(std::string_view name);
  Json& value(std::string_view text) { return raw(json_text(text)); }
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(bool truth) { return raw(truth ? "true" : "false"); }
  Json& value(double number) { return raw(json_number(number)); }
  template <std::integral Number>
  Json& value(Number number) {
    return raw(std::to_string(number));
  }
  template <class Value>
  Json& member(std::string_view name, const Value& content) {
    return key(name).value(content);
  }
  [[nodiscard]] std::string text() const { return text_ + "\n"; }

 private:
  Json& open(char bracket);
  Json& raw(std::string_view token);
  void separate();
  std::string text_, closers_;  // closers_: closing brackets of the open ones, innermost last
  bool after_key_ = false, first_ = true;
};

}  // namespace echo::text
