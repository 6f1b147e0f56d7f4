// What a word of a shell script stands for: variables, their defaults, and whole-number arithmetic.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch_flags/readers/shell_words.hpp"

namespace echo::launch_flags {

// The words of a plain variable (one) or an array.
using ShellVariables = std::map<std::string, std::vector<ShellWord>, std::less<>>;

// Several words for an array or for text with blanks that holds flags; none for nothing. Unknown variables,
// arguments of the script and what commands print are empty.
[[nodiscard]] std::vector<ShellWord> expanded(const ShellWord& word, const ShellVariables& variables);

// + - * / % and parentheses over whole numbers and variables; nothing where it has no result.
[[nodiscard]] std::optional<long long> arithmetic(std::string_view text, const ShellVariables& variables);

}  // namespace echo::launch_flags
