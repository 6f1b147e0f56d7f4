#include "trace_io/pytorch_et/torch_json.hpp"

#include <charconv>
#include <system_error>
#include <utility>

namespace echo::trace_io {

using Kind = JsonPull::Kind;

std::int64_t integer_in(std::string_view text) {
  std::int64_t out = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
  return code == std::errc{} ? out : -1;
}

std::int64_t integer_of(JsonPull& json) {
  switch (json.peek()) {
    case Kind::number:
      return integer_in(json.number());
    case Kind::string:
      return integer_in(json.string());
    default:
      json.skip();
      return -1;
  }
}

void add_extents(JsonPull& json, std::vector<std::vector<std::int64_t>>& out) {
  if (json.peek() != Kind::array) return json.skip();
  json.array([&] {
    std::vector<std::int64_t> one;
    if (json.peek() != Kind::array) {
      json.skip();
    } else {
      json.array([&] {
        if (json.peek() == Kind::number)
          one.push_back(integer_of(json));
        else
          json.skip();
      });
    }
    if (out.size() < most_torch_operands) out.push_back(std::move(one));
  });
}

void add_texts(JsonPull& json, std::vector<std::string>& out) {
  if (json.peek() != Kind::array) return json.skip();
  json.array([&] {
    std::string one = json.text(longest_torch_value);
    if (out.size() < most_torch_operands) out.push_back(std::move(one));
  });
}

}  // namespace echo::trace_io
