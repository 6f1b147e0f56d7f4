// Why a config cannot run: words that live as long as the program, and a number that names them in rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace echo {

// text: the rule, in a user's words; axes: names of the axes that it looks at, separated by blanks.
struct Refusal {
  const char *text = "", *axes = "";
  constexpr explicit operator bool() const { return *text != '\0'; }
  friend constexpr bool operator==(const Refusal& a, const Refusal& b) {
    return std::string_view(a.text) == b.text && std::string_view(a.axes) == b.axes;
  }
};

// FNV-1a of the text: the same in every process and build; 0 for none. Positive, as columns hold it.
[[nodiscard]] constexpr std::int32_t code_of(const Refusal& refusal) {
  if (!refusal) return 0;
  std::uint32_t hash = 2166136261U;
  for (const char letter : std::string_view(refusal.text))
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return static_cast<std::int32_t>(hash >> 1U);
}

// The text as one word: "tensor_degree_must_divide_the_attention_heads".
[[nodiscard]] inline std::string word_of(const Refusal& refusal) {
  std::string word;
  for (const char letter : std::string_view(refusal.text)) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9');
    if (is_plain)
      word += letter;
    else if (!word.empty() && word.back() != '_')
      word += '_';
  }
  while (!word.empty() && word.back() == '_') word.pop_back();
  return word;
}

}  // namespace echo
