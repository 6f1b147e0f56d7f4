#include "trace_io/model/kernel_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/at.hpp"
#include "ops/kernel_fields.hpp"

namespace echo::trace_io {

namespace {

std::int32_t value_of(JsonPull& json, const ops::KernelField& field) {
  if (!field.names.empty()) {
    const std::string word(json.string());
    const auto found = std::find(field.names.begin(), field.names.end(), word);
    if (found == field.names.end())
      json.fail(fmt::format("{} \"{}\" is not one of {}", field.name, word, fmt::join(field.names, ", ")));
    return static_cast<std::int32_t>(found - field.names.begin());
  }
  constexpr std::array<std::string_view, 5> extents{"m", "n", "k", "batch", "groups"};
  const bool is_extent = std::find(extents.begin(), extents.end(), field.name) != extents.end();
  const std::int64_t value = json.integer(), least = is_extent ? 1 : 0;
  if (value < least || value > std::numeric_limits<std::int32_t>::max())
    json.fail(fmt::format("{} = {} of a kernel is not from {} to 2147483647", field.name, value, least));
  return static_cast<std::int32_t>(value);
}

}  // namespace

ops::KernelKey read_kernel(JsonPull& json) {
  ops::KernelKey key;
  json.object([&](std::string_view name) {
    const ops::KernelField* field = ops::kernel_field(name);
    if (field == nullptr) json.fail(fmt::format("a kernel has no field \"{}\"", name));
    field->set(key, value_of(json, *field));
  });
  return key;
}

void append_kernel(std::string& out, const ops::KernelKey& key) {
  static const ops::KernelKey plain;
  out += '{';
  for (const ops::KernelField& field : ops::kernel_fields()) {
    const std::int32_t value = field.get(key);
    const bool is_first = field.name == "kind";
    if (!is_first && value == field.get(plain)) continue;
    if (!is_first) out += ", ";
    append_quoted(out, field.name);
    out += ": ";
    if (field.names.empty())
      out += std::to_string(value);
    else
      append_quoted(out, field.names[at(value)]);
  }
  out += '}';
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace echo::trace_io
