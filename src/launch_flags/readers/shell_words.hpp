// The words of a shell script with their places: quotes and comments taken off, variables not yet replaced.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"

namespace echo::launch_flags {

struct ShellWord {
  enum class Kind : unsigned char {
    word,
    end,          // of a command: a line end, ;, &&, | and the like
    array_begin,  // NAME=( or NAME+=(: the text is "NAME=" or "NAME+="
    array_end,
    batch_option  // a word of an #SBATCH line
  };
  std::string text;  // "$" within single quotes, or behind a backslash, is literal_dollar
  Place place;
  Kind kind = Kind::word;
};

inline constexpr char literal_dollar = '\x01';

[[nodiscard]] std::vector<ShellWord> shell_words(const std::string& text, const std::string& file);

// Where the $(...), ${...} or $((...)) that begins at `begin` ends: behind its last bracket; the end of the
// text where it stays open.
[[nodiscard]] std::size_t end_of_substitution(const std::string& text, std::size_t begin);

}  // namespace echo::launch_flags
