// Number literals with units: 8, 1.5e3, 80 GiB, 400 Gb/s, 4 Mi tokens, 3 h 30 min.
#pragma once

#include <optional>
#include <string_view>

#include "sweep/language/expression.hpp"
#include "sweep/language/lexer.hpp"

namespace echo::sweep {

struct Literal {
  Type type = Type::integer;  // integer where number and unit are whole
  Unit unit;
  Scalar value;
};

// Reads the literal whose number is `token`, and leaves there the token behind it. Nothing where it does not
// exist; `error` then says why.
[[nodiscard]] std::optional<Literal> read_literal(std::string_view text, Token& token,
                                                  ExpressionError& error);

}  // namespace echo::sweep
