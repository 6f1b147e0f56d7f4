// The stack machine of expression.hpp. Each nesting level holds at most four pending values (a comparison's
// left side, a sum's, a product's and an argument's), so the stack is bounded by the parser's depth.
#include <array>
#include <cmath>

#include "base/contract.hpp"
#include "sweep/language/expression.hpp"

namespace echo::sweep {
namespace {

// Floor and modulo as mathematics (and Python) have them: the remainder takes the divisor's sign.
std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

std::int64_t modulo_of(std::int64_t a, std::int64_t b) {
  const std::int64_t remainder = a % b;  // never out of range, unlike a - floor_of(a, b) * b on the way
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// One operation on integers; false where it has no result.
bool integers(Op op, std::int64_t a, std::int64_t b, std::int64_t& out) {
  const bool divides = op == Op::divide_exact || op == Op::floor_divide || op == Op::modulo;
  if (divides && (b == 0 || (b == -1 && a == INT64_MIN))) return false;
  switch (op) {
    case Op::add:
      return !__builtin_add_overflow(a, b, &out);
    case Op::subtract:
      return !__builtin_sub_overflow(a, b, &out);
    case Op::multiply:
      return !__builtin_mul_overflow(a, b, &out);
    case Op::divide_exact:
      return out = a / b, a % b == 0;
    case Op::floor_divide:
      return out = floor_of(a, b), true;
    case Op::modulo:
      return out = modulo_of(a, b), true;
    case Op::less:
      return out = a < b, true;
    case Op::less_equal:
      return out = a <= b, true;
    case Op::equal:
      return out = a == b, true;
    case Op::smaller:
      return out = a < b ? a : b, true;
    case Op::larger:
      return out = a < b ? b : a, true;
    default:
      return false;
  }
}

// A value on the stack. Not zeroed: clearing the whole stack would cost more than most expressions.
struct Cell {
  std::int64_t number;
  double real;
};

bool reals(Op op, double a, double b, Cell& out) {
  switch (op) {
    case Op::add_real:
      out.real = a + b;
      break;
    case Op::subtract_real:
      out.real = a - b;
      break;
    case Op::multiply_real:
      out.real = a * b;
      break;
    case Op::divide_real:
      out.real = b == 0.0 ? NAN : a / b;
      break;
    case Op::floor_divide_real:
      out.real = b == 0.0 ? NAN : std::floor(a / b);
      break;
    case Op::modulo_real:
      out.real = b == 0.0 ? NAN : a - std::floor(a / b) * b;
      break;
    case Op::smaller_real:
      out.real = a < b ? a : b;
      break;
    case Op::larger_real:
      out.real = a < b ? b : a;
      break;
    case Op::less_real:
      out = {a < b, 0.0};
      break;
    case Op::less_equal_real:
      out = {a <= b, 0.0};
      break;
    case Op::equal_real:
      out = {a == b, 0.0};
      break;
    default:
      return false;
  }
  return std::isfinite(out.real);
}

bool divides(Op op) {
  return op == Op::divide_exact || op == Op::divide_real || op == Op::floor_divide || op == Op::modulo ||
         op == Op::floor_divide_real || op == Op::modulo_real;
}

bool is_real(Op op) {
  switch (op) {
    case Op::add_real:
    case Op::subtract_real:
    case Op::multiply_real:
    case Op::divide_real:
    case Op::floor_divide_real:
    case Op::modulo_real:
    case Op::smaller_real:
    case Op::larger_real:
    case Op::less_real:
    case Op::less_equal_real:
    case Op::equal_real:
      return true;
    default:
      return false;
  }
}

// `zero_at`: where not null, the place of a division by zero goes there.
std::optional<Scalar> run(const Code& code, std::span<const Scalar> slots,
                          std::optional<std::int32_t>* zero_at) {
  std::array<Cell, 4 * max_expression_depth + 8> stack;
  std::size_t top = 0;  // one past the topmost value
  const auto push = [&](const Scalar& value) { stack[top++] = {value.number, value.real}; };
  const auto size = static_cast<std::int32_t>(code.instructions.size());
  for (std::int32_t at = 0; at < size; ++at) {
    const Instruction& instruction = code.instructions[static_cast<std::size_t>(at)];
    switch (instruction.op) {
      case Op::push:
        push(instruction.value);
        break;
      case Op::load:
        push(slots[static_cast<std::size_t>(instruction.target)]);
        break;
      case Op::to_real:
        stack[top - 1].real = static_cast<double>(stack[top - 1].number);
        break;
      case Op::to_real_below:
        stack[top - 2].real = static_cast<double>(stack[top - 2].number);
        break;
      case Op::negate:
        if (stack[top - 1].number == INT64_MIN) return std::nullopt;
        stack[top - 1].number = -stack[top - 1].number;
        break;
      case Op::negate_real:
        stack[top - 1].real = -stack[top - 1].real;
        break;
      case Op::logical_not:
        stack[top - 1].number = stack[top - 1].number == 0 ? 1 : 0;
        break;
      case Op::jump_if_false:
      case Op::jump_if_true:
        if ((stack[top - 1].number != 0) == (instruction.op == Op::jump_if_true)) {
          at = instruction.target - 1;
        } else {
          --top;
        }
        break;
      default: {
        const Cell right = stack[--top];
        Cell& left = stack[top - 1];
        const bool exists = is_real(instruction.op)
                                ? reals(instruction.op, left.real, right.real, left)
                                : integers(instruction.op, left.number, right.number, left.number);
        if (exists) break;
        const bool is_zero = is_real(instruction.op) ? right.real == 0.0 : right.number == 0;
        if (zero_at != nullptr && divides(instruction.op) && is_zero) *zero_at = instruction.place;
        return std::nullopt;
      }
    }
  }
  ECHO_ENSURE(top == 1);
  return Scalar{stack[0].number, stack[0].real};
}

}  // namespace

std::optional<Scalar> evaluate(const Code& code, std::span<const Scalar> slots) {
  return run(code, slots, nullptr);
}

std::optional<std::int32_t> divides_by_zero(const Code& code, std::span<const Scalar> slots) {
  std::optional<std::int32_t> zero_at;
  static_cast<void>(run(code, slots, &zero_at));
  return zero_at;
}

}  // namespace echo::sweep
