#include "sweep/language/lexer.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace echo::sweep {
namespace {

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Token number(std::string_view rest, Token token) {
  std::size_t length = 0;
  bool real = false;
  std::string digits;
  const auto at = [&](std::size_t i) { return i < rest.size() ? rest[i] : '\0'; };
  while (digit(at(length)) || at(length) == '_' || (at(length) == '.' && !real)) {
    if (at(length) == '.') real = true;
    if (at(length) != '_') digits += at(length);
    ++length;
  }
  const std::size_t sign = at(length + 1) == '-' || at(length + 1) == '+' ? 1 : 0;
  if ((at(length) == 'e' || at(length) == 'E') && digit(at(length + 1 + sign))) {
    real = true;
    do digits += at(length++);
    while (digit(at(length)) || digits.back() == 'e' || digits.back() == 'E');
  }
  token.length = static_cast<std::int32_t>(length);
  token.text = rest.substr(0, length);
  const char* const end = digits.data() + digits.size();
  if (real) {
    token.kind =
        std::from_chars(digits.data(), end, token.real).ec == std::errc() ? TokenKind::real : TokenKind::bad;
  } else {
    token.kind = std::from_chars(digits.data(), end, token.integer).ec == std::errc() ? TokenKind::integer
                                                                                      : TokenKind::bad;
  }
  token.problem = "this number is too large";
  return token;
}

// Preset fields are one name: model.layers.
Token name(std::string_view rest, Token token) {
  std::size_t length = 1;
  const auto at = [&](std::size_t i) { return i < rest.size() ? rest[i] : '\0'; };
  while (starts_name(at(length)) || digit(at(length)) || (at(length) == '.' && starts_name(at(length + 1))))
    ++length;
  token.kind = TokenKind::name;
  token.length = static_cast<std::int32_t>(length);
  token.text = rest.substr(0, length);
  return token;
}

Token quoted(std::string_view rest, Token token) {
  const std::size_t end = rest.find(rest[0], 1);
  if (end == std::string_view::npos) {
    token.kind = TokenKind::bad;
    token.problem = "this text has no closing quote";
    token.length = static_cast<std::int32_t>(rest.size());
    return token;
  }
  token.kind = TokenKind::text;
  token.text = rest.substr(1, end - 1);
  token.length = static_cast<std::int32_t>(end + 1);
  return token;
}

}  // namespace

Token next_token(std::string_view expression, std::int32_t offset) {
  auto start = static_cast<std::size_t>(offset);
  while (start < expression.size() && std::isspace(static_cast<unsigned char>(expression[start])) != 0)
    ++start;
  Token token;
  token.offset = static_cast<std::int32_t>(start);
  const std::string_view rest = expression.substr(start);
  if (rest.empty()) return token;
  if (digit(rest[0])) return number(rest, token);
  if (starts_name(rest[0])) return name(rest, token);
  if (rest[0] == '\'' || rest[0] == '"') return quoted(rest, token);
  constexpr std::array<std::string_view, 15> symbols{"//", "<=", ">=", "==", "!=", "<", ">", "+",
                                                     "-",  "*",  "/",  "%",  "(",  ")", ","};
  for (const std::string_view symbol : symbols) {
    if (!rest.starts_with(symbol)) continue;
    token.kind = TokenKind::symbol;
    token.text = rest.substr(0, symbol.size());
    token.length = static_cast<std::int32_t>(symbol.size());
    return token;
  }
  token.kind = TokenKind::bad;
  token.problem =
      rest[0] == '=' ? "a single = is not a comparison; write ==" : "this character is not allowed here";
  return token;
}

}  // namespace echo::sweep
