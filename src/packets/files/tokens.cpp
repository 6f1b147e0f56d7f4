#include "packets/files/tokens.hpp"

#include <charconv>

#include "base/printable.hpp"

namespace echo::packets {

void Tokens::skip_blanks() {
  for (; place_ < text_.size(); ++place_) {
    const char c = text_[place_];
    if (c == '\n') {
      ++line_;
      line_start_ = place_ + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

bool Tokens::at_end() {
  skip_blanks();
  return place_ == text_.size();
}

Token Tokens::next() {
  skip_blanks();
  const std::size_t first = place_;
  while (place_ < text_.size() && text_[place_] != ' ' && text_[place_] != '\t' && text_[place_] != '\r' &&
         text_[place_] != '\n')
    ++place_;
  return {text_.substr(first, place_ - first), line_, static_cast<std::int32_t>(first - line_start_) + 1};
}

std::optional<std::int64_t> Tokens::integer(const char* what, std::int64_t least, std::int64_t most,
                                            Problems& problems) {
  const Token token = next();
  std::int64_t value = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto result = std::from_chars(token.text.data(), end, value);
  if (!token.text.empty() && result.ec == std::errc{} && result.ptr == end && value >= least && value <= most)
    return value;
  const std::string found = token.text.empty() ? "the file ends where " + std::string(what) + " should be"
                                               : "\"" + printable(token.text) + "\" is not " + what;
  problems.error(token.place(file_), found,
                 "write a whole number of " + std::to_string(least) + " to " + std::to_string(most));
  return {};
}

}  // namespace echo::packets
