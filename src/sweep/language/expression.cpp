// Compiling and evaluating expressions. Problem: derive and keep run for every node of the search tree,
// millions of times, and must never fail, loop or depend on the host. Idea: recursive descent with types
// known while parsing emits postfix code for a stack machine; `and` and `or` become jumps; units are tracked
// alongside and generate no code. An operation without a result (division by zero, more than 64 bits,
// inexact where it must be exact) makes the whole expression empty rather than wrong. Integers stay
// integers: 96 / 8 is 12, never 11.999.
#include "sweep/language/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sweep/language/lexer.hpp"
#include "sweep/language/literal.hpp"

namespace echo::sweep {
namespace {

struct Failed {};  // unwinds the parser; compile() turns it into an answer

std::string_view word_of(Type type) {
  switch (type) {
    case Type::integer:
    case Type::real:
      return "a number";
    case Type::boolean:
      return "true or false";
    case Type::text:
      return "a text";
  }
  return "";
}
bool is_number(Type type) { return type == Type::integer || type == Type::real; }

class Parser {
 public:
  Parser(std::string_view text, Symbols& symbols, Division division, ExpressionError& error)
      : text_(text), symbols_(symbols), division_(division), error_(error), token_(next_token(text, 0)) {}

  Code whole() {
    if (text_.size() > static_cast<std::size_t>(max_expression_length))
      fail({TokenKind::symbol}, "this expression is too long", "split it into several derived names");
    const Value value = any_of();
    if (token_.kind != TokenKind::end)
      fail(token_, "\"" + std::string(token_.text) + "\" does not belong here");
    code_.type = value.type;
    code_.unit = value.unit;
    return std::move(code_);
  }

 private:
  struct Value {
    Type type = Type::integer;
    Unit unit{};
    Token only{};  // where the value is one name or one text in quotes: that token
  };

  [[noreturn]] void fail(const Token& token, std::string what,
                         std::string remedy = "see the expression language") {
    if (token.kind == TokenKind::bad) what = token.problem;
    if (token.kind == TokenKind::end) what = "the expression ends too early";
    error_ = {token.offset, std::max(1, token.length), std::move(what), std::move(remedy), "", {}};
    throw Failed{};
  }
  void advance() { token_ = next_token(text_, token_.offset + token_.length); }
  [[nodiscard]] bool is(std::string_view symbol) const {
    return (token_.kind == TokenKind::symbol || token_.kind == TokenKind::name) && token_.text == symbol;
  }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    advance();
    return true;
  }
  void emit(Op op, std::int32_t target = 0, Scalar value = {}) {
    code_.instructions.push_back({op, place_, target, value});
  }

  struct Depth {  // bounds recursion, and with it the evaluation stack
    explicit Depth(Parser& owner) : parser(owner) {
      if (++parser.depth_ > max_expression_depth) {
        parser.fail(parser.token_, "this expression is nested too deeply",
                    "split it into several derived names");
      }
    }
    ~Depth() { --parser.depth_; }
    Parser& parser;
  };

  void want(bool fits, const Token& at, const Value& got, std::string_view wanted) {
    if (!fits) {
      fail(at, "\"" + std::string(at.text) + "\" wants " + std::string(wanted) + ", not " +
                   std::string(word_of(got.type)));
    }
  }
  // + - < == min ... require operands of one kind.
  void want_one_unit(const Token& at, std::string_view verb, Unit left, Unit right) {
    if (left == right) return;
    const bool bare = left == plain || right == plain;
    fail(at,
         "\"" + std::string(at.text) + "\" " + std::string(verb) + " " + words_of(left) + " with " +
             words_of(right),
         bare ? "give the number its unit, as in \"80 GiB\", \"30 d\" or \"400 Gb/s\""
              : "both sides must have the same kind");
  }

  Value any_of() { return chain("or", Op::jump_if_true, &Parser::all_of); }
  Value all_of() { return chain("and", Op::jump_if_false, &Parser::negation); }
  Value chain(std::string_view word, Op jump, Value (Parser::*next)()) {
    Value value = (this->*next)();
    std::vector<std::size_t> jumps;
    while (is(word)) {
      const Token at = token_;
      want(value.type == Type::boolean, at, value, "true or false on its left");
      advance();
      jumps.push_back(code_.instructions.size());
      emit(jump);
      value = (this->*next)();
      want(value.type == Type::boolean, at, value, "true or false on its right");
      value = {Type::boolean};
    }
    for (const std::size_t from : jumps) {
      code_.instructions[from].target = static_cast<std::int32_t>(code_.instructions.size());
    }
    return value;
  }
  Value negation() {
    if (!is("not")) return comparison();
    const Depth depth(*this);
    const Token at = token_;
    advance();
    const Value value = negation();
    want(value.type == Type::boolean, at, value, "true or false");
    emit(Op::logical_not);
    return {Type::boolean};
  }
  [[nodiscard]] bool at_comparison() const {
    return is("<") || is("<=") || is(">") || is(">=") || is("==") || is("!=");
  }
  Value comparison() {
    const std::size_t left_code = code_.instructions.size();
    Value left = sum();
    if (!at_comparison()) return left;
    const Token at = token_;
    advance();
    const std::size_t right_code = code_.instructions.size();
    Value right = sum();
    if (right.type == Type::boolean) read_as_switch(left, left_code);
    if (left.type == Type::boolean) read_as_switch(right, right_code);
    if (at_comparison()) fail(token_, "comparisons do not chain", "write \"a < b and b < c\"");
    const bool equality = at.text == "==" || at.text == "!=";
    const bool numbers = is_number(left.type) && is_number(right.type);
    if (!numbers && !(equality && left.type == right.type)) {
      fail(at, "\"" + std::string(at.text) + "\" cannot compare " + std::string(word_of(left.type)) +
                   " with " + std::string(word_of(right.type)));
    }
    want_one_unit(at, "compares", left.unit, right.unit);
    if (left.type == Type::text) check_words(left.only, right.only);
    const bool real = numbers && unify(left.type, right.type) == Type::real;
    if (equality) {
      emit(real ? Op::equal_real : Op::equal);
      if (at.text == "!=") emit(Op::logical_not);
    } else {  // a > b is not (a <= b): both are numbers and neither is NaN
      const bool swap = at.text[0] == '>';
      const bool or_equal = at.text.size() == 2;
      emit(or_equal != swap ? (real ? Op::less_equal_real : Op::less_equal)
                            : (real ? Op::less_real : Op::less));
      if (swap) emit(Op::logical_not);
    }
    return {Type::boolean};
  }
  // 'on' and 'off' beside a truth value: what tables print of it. `code`: of its instruction.
  void read_as_switch(Value& value, std::size_t code) {
    if (value.only.kind != TokenKind::text || (value.only.text != "on" && value.only.text != "off")) return;
    code_.instructions[code].value = {value.only.text == "on" ? 1 : 0, 0.0};
    value = {Type::boolean};
  }
  // A word that the name beside it can never equal is a mistake, not a comparison that is always false.
  void check_words(Token name, Token literal) {
    if (name.kind == TokenKind::text) std::swap(name, literal);
    if (name.kind != TokenKind::name || literal.kind != TokenKind::text) return;
    auto wrong = symbols_.check_comparison(name.text, literal.text, literal.offset + 1);
    if (!wrong) return;
    error_ = std::move(*wrong);
    error_.offset = literal.offset + 1;
    error_.length = std::max(1, literal.length - 2);
    throw Failed{};
  }
  // Converts the two topmost values to one type.
  Type unify(Type left, Type right) {
    if (left == Type::integer && right == Type::integer) return Type::integer;
    if (left == Type::integer) emit(Op::to_real_below);
    if (right == Type::integer) emit(Op::to_real);
    return Type::real;
  }
  Value sum() {
    Value value = term();
    while (is("+") || is("-")) {
      const Token at = token_;
      advance();
      value = arithmetic(at, value, term());
    }
    return value;
  }
  Value term() {
    Value value = unary();
    while (is("*") || is("/") || is("//") || is("%")) {
      const Token at = token_;
      advance();
      value = arithmetic(at, value, unary());
    }
    return value;
  }
  Unit unit_of(const Token& at, Unit left, Unit right) {
    std::optional<Unit> unit = left;
    if (at.text == "*") unit = times(left, right);
    if (at.text == "/" || at.text == "//") unit = over(left, right);
    if (at.text == "+") want_one_unit(at, "adds", left, right);
    if (at.text == "-") want_one_unit(at, "subtracts", left, right);
    if (at.text == "%") want_one_unit(at, "divides", left, right);
    if (!unit) fail(at, "this power of a unit is not supported", "divide by a quantity first");
    return *unit;
  }
  Value arithmetic(const Token& at, const Value& left, const Value& right) {
    want(is_number(left.type), at, left, "a number on its left");
    want(is_number(right.type), at, right, "a number on its right");
    const Unit unit = unit_of(at, left.unit, right.unit);
    place_ = static_cast<std::int16_t>(at.offset);  // below max_expression_length
    const bool real = unify(left.type, right.type) == Type::real;
    if (at.text == "+") emit(real ? Op::add_real : Op::add);
    if (at.text == "-") emit(real ? Op::subtract_real : Op::subtract);
    if (at.text == "*") emit(real ? Op::multiply_real : Op::multiply);
    if (at.text == "//") emit(real ? Op::floor_divide_real : Op::floor_divide);
    if (at.text == "%") emit(real ? Op::modulo_real : Op::modulo);
    if (at.text != "/") return {real ? Type::real : Type::integer, unit};
    if (!real && division_ == Division::exact) {
      emit(Op::divide_exact);
      return {Type::integer, unit};
    }
    if (!real) emit(Op::to_real_below), emit(Op::to_real);
    emit(Op::divide_real);
    return {Type::real, unit};
  }
  Value unary() {
    if (!is("-")) return primary();
    const Depth depth(*this);
    const Token at = token_;
    advance();
    const Value value = unary();
    want(is_number(value.type), at, value, "a number");
    emit(value.type == Type::real ? Op::negate_real : Op::negate);
    return {value.type, value.unit};
  }
  Value primary() {
    const Depth depth(*this);
    const Token at = token_;
    switch (at.kind) {
      case TokenKind::integer:
      case TokenKind::real:
        return number();
      case TokenKind::text:
        advance();
        emit(Op::push, 0, {symbols_.intern(at.text), 0.0});
        return {Type::text, plain, at};
      case TokenKind::name:
        return name();
      case TokenKind::symbol:
        if (take("(")) {
          const Value value = any_of();
          if (!take(")")) fail(token_, "a closing ) is missing", "close the parenthesis opened before");
          return value;
        }
        break;
      case TokenKind::end:
      case TokenKind::bad:
        break;
    }
    fail(at, "a value is missing before \"" + std::string(at.text) + "\"",
         "write a number, a name or a parenthesis");
  }
  Value number() {
    const auto literal = read_literal(text_, token_, error_);
    if (!literal) throw Failed{};
    emit(Op::push, 0, literal->value);
    return {literal->type, literal->unit};
  }
  Value name() {
    const Token at = token_;
    advance();
    if (at.text == "true" || at.text == "false") {
      emit(Op::push, 0, {at.text == "true" ? 1 : 0, 0.0});
      return {Type::boolean};
    }
    if (at.text == "min" || at.text == "max") return extreme(at);
    if (at.text == "and" || at.text == "or" || at.text == "not") fail(at, "a value is missing here");
    const auto symbol = symbols_.find(at.text);
    if (!symbol && (at.text == "on" || at.text == "off")) {
      emit(Op::push, 0, {at.text == "on" ? 1 : 0, 0.0});
      return {Type::boolean};
    }
    if (!symbol) {
      error_ = {at.offset,
                at.length,
                "unknown name \"" + std::string(at.text) + "\"",
                "use an axis, a derived name or a preset field",
                std::string(at.text),
                {}};
      throw Failed{};
    }
    emit(Op::load, symbol->slot);
    if (std::find(code_.reads.begin(), code_.reads.end(), symbol->slot) == code_.reads.end()) {
      code_.reads.push_back(symbol->slot);
    }
    return {symbol->type, symbol->unit, at};
  }
  Value extreme(const Token& at) {
    if (!take("(")) fail(token_, std::string(at.text) + " needs ( after it");
    Value value = any_of();
    want(is_number(value.type), at, value, "numbers");
    value.only = {};
    while (take(",")) {
      const Value next = any_of();
      want(is_number(next.type), at, next, "numbers");
      want_one_unit(at, "compares", value.unit, next.unit);
      value.type = unify(value.type, next.type);
      const bool smallest = at.text == "min";
      if (value.type == Type::real) {
        emit(smallest ? Op::smaller_real : Op::larger_real);
      } else {
        emit(smallest ? Op::smaller : Op::larger);
      }
    }
    if (!take(")")) fail(token_, "a closing ) is missing", "close " + std::string(at.text) + "(");
    return value;
  }

  std::string_view text_;
  Symbols& symbols_;
  Division division_;
  ExpressionError& error_;
  Token token_;
  Code code_;
  std::int16_t place_ = 0;
  std::int32_t depth_ = 0;
};

}  // namespace

std::optional<Code> compile(std::string_view text, Symbols& symbols, Division division,
                            ExpressionError& error) {
  try {
    return Parser(text, symbols, division, error).whole();
  } catch (const Failed&) {
    return std::nullopt;
  }
}

}  // namespace echo::sweep
