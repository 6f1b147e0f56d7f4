#include "base/refusal.hpp"

#include <span>

#include "base/digest.hpp"

namespace echo {

std::int32_t code_of(const Refusal& refusal) {
  if (!refusal) return 0;
  const std::string_view text = refusal.text;
  return static_cast<std::int32_t>(hash64(std::as_bytes(std::span(text))) >>
                                   33U);  // positive, as columns hold it
}

std::string word_of(const Refusal& refusal) {
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
