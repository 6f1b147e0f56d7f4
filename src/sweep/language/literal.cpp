// Numbers with units. Problem: "400 Gb/s" is a number, a name, a division and a name to the lexer, and "3 h
// 30 min" two numbers in a row. Idea: nothing else in the language puts a name or a number directly after a
// number, so what follows a number is its unit. "/s" belongs to the unit only without a blank; "80 GiB / s"
// divides by the value of s.
#include "sweep/language/literal.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::sweep {
namespace {

struct Failed {};

class LiteralReader {
 public:
  LiteralReader(std::string_view text, Token& token, ExpressionError& error)
      : text_(text), token_(token), error_(error) {}

  Literal whole() {
    NamedUnit unit;
    Literal total = part(unit);
    while (total.unit == in_seconds && is_number()) {  // 3 h 30 min
      const Token at = token_;
      const NamedUnit larger = unit;
      const Literal next = part(unit);
      if (next.unit != in_seconds)
        fail(at, "this part of the duration lacks its unit", "write \"3 h 30 min\"");
      if (seconds(unit) >= seconds(larger))
        fail(at, "the parts of a duration must go from long to short", "write \"3 h 30 min\"");
      total = sum(at, total, next);
    }
    return total;
  }

 private:
  [[noreturn]] void fail(const Token& at, std::string what, std::string remedy) {
    error_ = {at.offset, std::max(1, at.length), std::move(what), std::move(remedy), "", {}};
    throw Failed{};
  }
  [[nodiscard]] bool is_number() const {
    return token_.kind == TokenKind::integer || token_.kind == TokenKind::real;
  }
  [[nodiscard]] Token after(const Token& token) const {
    return next_token(text_, token.offset + token.length);
  }
  static double seconds(const NamedUnit& unit) {
    return static_cast<double>(unit.numerator) / static_cast<double>(unit.denominator);
  }

  Literal part(NamedUnit& unit) {
    const Token number = token_;
    token_ = after(token_);
    unit = take_unit();
    return scaled(number, unit);
  }

  NamedUnit take_unit() {
    const bool keyword = token_.text == "and" || token_.text == "or" || token_.text == "not";
    if (token_.kind != TokenKind::name || keyword) return {};
    const Token name = token_;
    auto unit = find_unit(name.text);
    if (!unit) {
      error_ = {name.offset,
                name.length,
                "unknown unit \"" + std::string(name.text) + "\"",
                "",
                std::string(name.text),
                unit_names()};
      throw Failed{};
    }
    token_ = after(token_);
    const bool counts = token_.kind == TokenKind::name && (token_.text == "tokens" || token_.text == "token");
    if (counts && (unit->unit == plain || name.text == "B")) {  // 4 Mi tokens, 300 B tokens
      if (name.text == "B") *unit = {plain, 1'000'000'000, 1};
      token_ = after(token_);
    }
    take_per_second(*unit);
    return *unit;
  }
  void take_per_second(NamedUnit& unit) {
    const bool touches = token_.offset > 0 && text_[at(token_.offset - 1)] != ' ';
    if (!touches || token_.kind != TokenKind::symbol || token_.text != "/") return;
    const Token second = after(token_);
    if (second.kind != TokenKind::name || second.text != "s" || second.offset != token_.offset + 1) return;
    const auto rate = over(unit.unit, in_seconds);
    if (!rate) return;
    unit.unit = *rate;
    token_ = after(second);
  }

  Literal scaled(const Token& number, const NamedUnit& unit) {
    // A kb is 125 bytes, a b not a whole byte; FLOPs exceed 64 bits.
    const bool exact = unit.unit.flops == 0 && unit.numerator % unit.denominator == 0;
    const bool real = number.kind == TokenKind::real || !exact;
    Literal literal{real ? Type::real : Type::integer, unit.unit, {}};
    if (real) {
      const double value = number.kind == TokenKind::real ? number.real : static_cast<double>(number.integer);
      literal.value.real =
          value * static_cast<double>(unit.numerator) / static_cast<double>(unit.denominator);
      return literal;
    }
    const std::int64_t factor = unit.numerator / unit.denominator;
    if (__builtin_mul_overflow(number.integer, factor, &literal.value.number))
      fail(number, "this number is too large", "it must fit 64 bits");
    return literal;
  }

  Literal sum(const Token& at, Literal left, const Literal& right) {
    if (left.type == Type::integer && right.type == Type::integer) {
      if (__builtin_add_overflow(left.value.number, right.value.number, &left.value.number))
        fail(at, "this duration is too large", "it must fit 64 bits");
      return left;
    }
    const auto real = [](const Literal& one) {
      return one.type == Type::real ? one.value.real : static_cast<double>(one.value.number);
    };
    return {Type::real, in_seconds, {0, real(left) + real(right)}};
  }

  std::string_view text_;
  Token& token_;
  ExpressionError& error_;
};

}  // namespace

std::optional<Literal> read_literal(std::string_view text, Token& token, ExpressionError& error) {
  try {
    return LiteralReader(text, token, error).whole();
  } catch (const Failed&) {
    return std::nullopt;
  }
}

}  // namespace echo::sweep
