// The small language of [derive], [[keep]] and [[limit]]: numbers with units, texts and truth values (true
// and false, or on and off where nothing has that name; beside one of them also in quotes); + - * / // %,
// comparison, and or not, min max, parentheses. Typed, without loops or calls, compiled once to flat code.
// Every evaluation ends. Units are checked while compiling and cost nothing after.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/language/unit.hpp"

namespace echo::sweep {

enum class Type : std::int8_t { integer, real, boolean, text };

// A value; booleans are 0 or 1, texts are indices into the table of texts.
struct Scalar {
  std::int64_t number = 0;
  double real = 0.0;
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

enum class Op : std::int8_t {
  push,
  load,
  to_real,        // top of stack
  to_real_below,  // the value under the top
  negate,
  negate_real,
  add,
  add_real,
  subtract,
  subtract_real,
  multiply,
  multiply_real,
  divide_exact,
  divide_real,
  floor_divide,
  floor_divide_real,
  modulo,
  modulo_real,
  less,
  less_real,
  less_equal,
  less_equal_real,
  equal,
  equal_real,
  logical_not,
  smaller,
  smaller_real,
  larger,
  larger_real,
  jump_if_false,  // keeps the value and jumps, else drops it
  jump_if_true
};

struct Instruction {
  Op op{};
  std::int16_t place = 0;   // of its operator: characters into the expression
  std::int32_t target = 0;  // slot of load, destination of a jump
  Scalar value;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<std::int32_t> reads;  // slots, each once
  Type type = Type::integer;
  Unit unit;  // of the result
};

struct Symbol {
  std::int32_t slot = 0;
  Type type = Type::integer;
  Unit unit{};
};

struct ExpressionError {
  std::int32_t offset = 0, length = 1;  // characters into the expression
  std::string what, remedy;
  std::string unknown_name;        // set when a name was not found; the caller may know a better remedy
  std::vector<std::string> known;  // what it could have meant; empty: what the caller's symbols are called
};

// The names that the expression may use. `texts` grows by the literals found.
struct Symbols {
  virtual std::optional<Symbol> find(std::string_view name) = 0;
  virtual std::int64_t intern(std::string_view text) = 0;
  // Asked for each `name == 'literal'` and `name != 'literal'`, either way round: what is wrong with a word
  // that the name can never be. `offset`: of the literal's first character, behind its quote.
  virtual std::optional<ExpressionError> check_comparison(std::string_view /*name*/,
                                                          std::string_view /*literal*/,
                                                          std::int32_t /*offset*/) {
    return std::nullopt;
  }
  virtual ~Symbols() = default;
};

// In a `derive`, / between integers must come out exact; in a `keep` it is ordinary real division.
enum class Division : std::int8_t { exact, real };
[[nodiscard]] std::optional<Code> compile(std::string_view text, Symbols& symbols, Division division,
                                          ExpressionError& error);

// Empty where the result does not exist: a division that is not exact, by zero, or past 64 bits.
[[nodiscard]] std::optional<Scalar> evaluate(const Code& code, std::span<const Scalar> slots);

// The place of the operator that divides by zero, where that is why evaluate() is empty; else nothing.
[[nodiscard]] std::optional<std::int32_t> divides_by_zero(const Code& code, std::span<const Scalar> slots);

inline constexpr std::int32_t max_expression_depth = 48;     // nesting, and the evaluation stack
inline constexpr std::int32_t max_expression_length = 4000;  // characters; bounds the cost of an evaluation

}  // namespace echo::sweep
