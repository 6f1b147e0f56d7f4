#include "trace_io/pytorch_et/torch_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace echo::trace_io {

std::optional<ElementType> element_type(std::string_view text) {
  using machine::Precision;
  // Longer words before those they contain.
  static constexpr std::array<std::pair<std::string_view, ElementType>, 26> words{{
      {"bfloat16", {2, Precision::bf16}}, {"float8", {1, Precision::fp8}},
      {"float16", {2, Precision::fp16}},  {"float32", {4, Precision::fp32}},
      {"float64", {8, std::nullopt}},     {"complex64", {8, std::nullopt}},
      {"complex", {8, std::nullopt}},     {"half", {2, Precision::fp16}},
      {"double", {8, std::nullopt}},      {"float", {4, Precision::fp32}},
      {"int64", {8, std::nullopt}},       {"uint64", {8, std::nullopt}},
      {"int32", {4, std::nullopt}},       {"int16", {2, std::nullopt}},
      {"uint8", {1, std::nullopt}},       {"int8", {1, std::nullopt}},
      {"long long", {8, std::nullopt}},   {"long", {8, std::nullopt}},
      {"short", {2, std::nullopt}},       {"unsigned char", {1, std::nullopt}},
      {"signed char", {1, std::nullopt}}, {"byte", {1, std::nullopt}},
      {"char", {1, std::nullopt}},        {"bool", {1, std::nullopt}},
      {"int", {4, std::nullopt}},         {"e4m3", {1, Precision::fp8}},
  }};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [word, type] : words)
    if (lower.find(word) != lower.npos) return type;
  return std::nullopt;
}

}  // namespace echo::trace_io
