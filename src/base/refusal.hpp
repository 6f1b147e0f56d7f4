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

// hash64 of the text, shortened: the same in every process and build; 0 for none.
[[nodiscard]] std::int32_t code_of(const Refusal&);

// The text as one word: "tensor_degree_must_divide_the_attention_heads".
[[nodiscard]] std::string word_of(const Refusal&);

}  // namespace echo
