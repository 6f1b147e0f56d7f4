// A matrix product of the simulator in cuBLAS terms, with column-major matrices.
#pragma once

#include <cstdint>

#include "ops/kernel.hpp"

namespace echo::profilers {

// D[m, n] = op(A) op(B), column-major: element (i, j) of a matrix stands at i + j * ld. A is rows x columns
// as stored, before it is transposed.
struct GemmOperand {
  std::int64_t rows = 0, columns = 0, ld = 0;
  bool is_transposed = false;
  [[nodiscard]] std::int64_t elements() const { return ld * columns; }
  friend bool operator==(const GemmOperand&, const GemmOperand&) = default;
};

struct GemmProblem {
  std::int64_t m = 0, n = 0, k = 0;
  GemmOperand a, b, d;
};

// C[m, n] of the key, row-major. tn: Y = X W', the operand W first (its n rows of k stand together), so that
// D is Y' and rows of Y stand together. nn: dX = dY W, the same. nt: dW' = X' dY of two matrices with one row
// a token, k = tokens; D is C itself. 8-bit operands are TN for any layout: they have transposed copies.
[[nodiscard]] GemmProblem gemm_problem(const ops::KernelKey&);

}  // namespace echo::profilers
