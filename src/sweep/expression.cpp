// Compiling and evaluating expressions.
// Problem: derive and keep run for every node of the search tree, millions of times, and must never fail,
// loop or depend on the host. Idea: recursive descent with types known while parsing emits postfix code for a
// stack machine; `and` and `or` become jumps. An operation without a result (division by zero, past 64 bits,
// not exact where it must be) makes the whole expression empty rather than wrong. Integers stay integers: 96
// / 8 is 12, never 11.999.
#include "sweep/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sweep/lexer.hpp"

namespace echo::sweep {
namespace {

struct Failed {};  // unwinds the parser; compile() turns it into an answer

struct Suffix {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<Suffix, 11> suffixes{{{"kB", 1000},
                                           {"MB", 1000000},
                                           {"GB", 1000000000},
                                           {"TB", 1000000000000},
                                           {"KiB", 1LL << 10},
                                           {"MiB", 1LL << 20},
                                           {"GiB", 1LL << 30},
                                           {"TiB", 1LL << 40},
                                           {"Ki", 1LL << 10},
                                           {"Mi", 1LL << 20},
                                           {"Gi", 1LL << 30}}};

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
    code_.type = any_of();
    if (token_.kind != TokenKind::end)
      fail(token_, "\"" + std::string(token_.text) + "\" does not belong here");
    return std::move(code_);
  }

 private:
  [[noreturn]] void fail(const Token& token, std::string what,
                         std::string remedy = "see the expression language") {
    if (token.kind == TokenKind::bad) what = token.problem;
    if (token.kind == TokenKind::end) what = "the expression ends too early";
    error_ = {token.offset, std::max(1, token.length), std::move(what), std::move(remedy), ""};
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
    code_.instructions.push_back({op, target, value});
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

  void want(bool fits, const Token& at, Type got, std::string_view wanted) {
    if (!fits) {
      fail(at, "\"" + std::string(at.text) + "\" wants " + std::string(wanted) + ", not " +
                   std::string(word_of(got)));
    }
  }

  Type any_of() { return chain("or", Op::jump_if_true, &Parser::all_of); }
  Type all_of() { return chain("and", Op::jump_if_false, &Parser::negation); }
  Type chain(std::string_view word, Op jump, Type (Parser::*next)()) {
    Type type = (this->*next)();
    std::vector<std::size_t> jumps;
    while (is(word)) {
      const Token at = token_;
      want(type == Type::boolean, at, type, "true or false on its left");
      advance();
      jumps.push_back(code_.instructions.size());
      emit(jump);
      type = (this->*next)();
      want(type == Type::boolean, at, type, "true or false on its right");
    }
    for (const std::size_t from : jumps) {
      code_.instructions[from].target = static_cast<std::int32_t>(code_.instructions.size());
    }
    return type;
  }
  Type negation() {
    if (!is("not")) return comparison();
    const Depth depth(*this);
    const Token at = token_;
    advance();
    const Type type = negation();
    want(type == Type::boolean, at, type, "true or false");
    emit(Op::logical_not);
    return Type::boolean;
  }
  [[nodiscard]] bool at_comparison() const {
    return is("<") || is("<=") || is(">") || is(">=") || is("==") || is("!=");
  }
  Type comparison() {
    const Type left = sum();
    if (!at_comparison()) return left;
    const Token at = token_;
    advance();
    const Type right = sum();
    if (at_comparison()) fail(token_, "comparisons do not chain", "write \"a < b and b < c\"");
    const bool equality = at.text == "==" || at.text == "!=";
    const bool numbers = is_number(left) && is_number(right);
    if (!numbers && !(equality && left == right)) {
      fail(at, "\"" + std::string(at.text) + "\" cannot compare " + std::string(word_of(left)) + " with " +
                   std::string(word_of(right)));
    }
    const bool real = numbers && unify(left, right) == Type::real;
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
    return Type::boolean;
  }
  // Makes the two topmost values one type.
  Type unify(Type left, Type right) {
    if (left == Type::integer && right == Type::integer) return Type::integer;
    if (left == Type::integer) emit(Op::to_real_below);
    if (right == Type::integer) emit(Op::to_real);
    return Type::real;
  }
  Type sum() {
    Type type = term();
    while (is("+") || is("-")) {
      const Token at = token_;
      advance();
      type = arithmetic(at, type, term());
    }
    return type;
  }
  Type term() {
    Type type = unary();
    while (is("*") || is("/") || is("//") || is("%")) {
      const Token at = token_;
      advance();
      type = arithmetic(at, type, unary());
    }
    return type;
  }
  Type arithmetic(const Token& at, Type left, Type right) {
    want(is_number(left), at, left, "a number on its left");
    want(is_number(right), at, right, "a number on its right");
    const bool real = unify(left, right) == Type::real;
    if (at.text == "+") emit(real ? Op::add_real : Op::add);
    if (at.text == "-") emit(real ? Op::subtract_real : Op::subtract);
    if (at.text == "*") emit(real ? Op::multiply_real : Op::multiply);
    if (at.text == "//") emit(real ? Op::floor_divide_real : Op::floor_divide);
    if (at.text == "%") emit(real ? Op::modulo_real : Op::modulo);
    if (at.text != "/") return real ? Type::real : Type::integer;
    if (!real && division_ == Division::exact) {
      emit(Op::divide_exact);
      return Type::integer;
    }
    if (!real) emit(Op::to_real_below), emit(Op::to_real);
    emit(Op::divide_real);
    return Type::real;
  }
  Type unary() {
    if (!is("-")) return primary();
    const Depth depth(*this);
    const Token at = token_;
    advance();
    const Type type = unary();
    want(is_number(type), at, type, "a number");
    emit(type == Type::real ? Op::negate_real : Op::negate);
    return type;
  }
  Type primary() {
    const Depth depth(*this);
    const Token at = token_;
    switch (at.kind) {
      case TokenKind::integer:
      case TokenKind::real:
        return number();
      case TokenKind::text:
        advance();
        emit(Op::push, 0, {symbols_.intern(at.text), 0.0});
        return Type::text;
      case TokenKind::name:
        return name();
      case TokenKind::symbol:
        if (take("(")) {
          const Type type = any_of();
          if (!take(")")) fail(token_, "a closing ) is missing", "close the parenthesis opened before");
          return type;
        }
        break;
      case TokenKind::end:
      case TokenKind::bad:
        break;
    }
    fail(at, "a value is missing before \"" + std::string(at.text) + "\"",
         "write a number, a name or a parenthesis");
  }
  Type number() {
    const Token at = token_;
    advance();
    std::int64_t factor = 1;
    if (token_.kind == TokenKind::name) {
      const auto suffix = std::find_if(suffixes.begin(), suffixes.end(),
                                       [&](const Suffix& s) { return s.name == token_.text; });
      if (suffix != suffixes.end()) {
        factor = suffix->factor;
        advance();
      }
    }
    const bool real = at.kind == TokenKind::real;
    std::int64_t whole = 0;
    if (!real && __builtin_mul_overflow(at.integer, factor, &whole)) fail(at, "this number is too large");
    emit(Op::push, 0, {whole, at.real * static_cast<double>(factor)});
    return real ? Type::real : Type::integer;
  }
  Type name() {
    const Token at = token_;
    advance();
    if (at.text == "true" || at.text == "false") {
      emit(Op::push, 0, {at.text == "true" ? 1 : 0, 0.0});
      return Type::boolean;
    }
    if (at.text == "min" || at.text == "max") return extreme(at);
    if (at.text == "and" || at.text == "or" || at.text == "not") fail(at, "a value is missing here");
    const auto symbol = symbols_.find(at.text);
    if (!symbol) {
      error_ = {at.offset, at.length, "unknown name \"" + std::string(at.text) + "\"",
                "use an axis, a derived name or a preset field", std::string(at.text)};
      throw Failed{};
    }
    emit(Op::load, symbol->slot);
    if (std::find(code_.reads.begin(), code_.reads.end(), symbol->slot) == code_.reads.end()) {
      code_.reads.push_back(symbol->slot);
    }
    return symbol->type;
  }
  Type extreme(const Token& at) {
    if (!take("(")) fail(token_, std::string(at.text) + " needs ( after it");
    Type type = any_of();
    want(is_number(type), at, type, "numbers");
    while (take(",")) {
      const Type next = any_of();
      want(is_number(next), at, next, "numbers");
      type = unify(type, next);
      const bool smallest = at.text == "min";
      if (type == Type::real) {
        emit(smallest ? Op::smaller_real : Op::larger_real);
      } else {
        emit(smallest ? Op::smaller : Op::larger);
      }
    }
    if (!take(")")) fail(token_, "a closing ) is missing", "close " + std::string(at.text) + "(");
    return type;
  }

  std::string_view text_;
  Symbols& symbols_;
  Division division_;
  ExpressionError& error_;
  Token token_;
  Code code_;
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
