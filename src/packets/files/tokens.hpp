// Words between blanks, one after the other, with their places.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/problems.hpp"

namespace echo::packets {

struct Token {
  std::string_view text;
  std::int32_t line = 0, column = 0;
  [[nodiscard]] Place place(const std::string& file) const {
    return {file, line, column, static_cast<std::int32_t>(std::max<std::size_t>(1, text.size()))};
  }
};

class Tokens {
 public:
  Tokens(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool at_end();
  // An empty token where the text has ended.
  [[nodiscard]] Token next();
  // The next token as a whole number of `least` to `most`; reports what else it is, and returns nothing.
  [[nodiscard]] std::optional<std::int64_t> integer(const char* what, std::int64_t least, std::int64_t most,
                                                    Problems& problems);

 private:
  void skip_blanks();
  std::string_view text_;
  std::string file_;
  std::size_t place_ = 0, line_start_ = 0;
  std::int32_t line_ = 1;
};

}  // namespace echo::packets
