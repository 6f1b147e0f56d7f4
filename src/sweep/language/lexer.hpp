// Splits an expression into tokens.
#pragma once

#include <cstdint>
#include <string_view>

namespace echo::sweep {

enum class TokenKind : std::int8_t { end, integer, real, text, name, symbol, bad };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // without quotes for `text`
  std::int32_t offset = 0, length = 1;
  std::int64_t integer = 0;
  double real = 0.0;
  const char* problem = "";  // of `bad`
};

// The token at `offset`; the next one starts at its offset + length.
[[nodiscard]] Token next_token(std::string_view expression, std::int32_t offset);

}  // namespace echo::sweep
