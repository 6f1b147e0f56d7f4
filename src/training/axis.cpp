#include "training/axis.hpp"

#include <algorithm>

namespace echo::training {

std::optional<std::int32_t> bits_of(std::span<const std::string_view> words, std::string_view text) {
  std::int32_t bits = 0;
  if (text == "none") return bits;
  while (true) {
    const std::size_t plus = text.find('+');
    const auto word = std::find(words.begin(), words.end(), text.substr(0, plus));
    if (word == words.end()) return std::nullopt;
    bits |= 1 << (word - words.begin());
    if (plus == std::string_view::npos) return bits;
    text.remove_prefix(plus + 1);
  }
}

std::string text_of_bits(std::span<const std::string_view> words, std::int32_t bits) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((bits >> i & 1) != 0) text += (text.empty() ? "" : "+") + std::string(words[i]);
  return text.empty() ? "none" : text;
}

std::string version_text(std::int32_t number) {
  const std::int32_t major = number >= 10000 ? 10000 : 1000;
  return std::to_string(number / major) + "." + std::to_string(number % major / 100) + "." +
         std::to_string(number % 100);
}

}  // namespace echo::training
