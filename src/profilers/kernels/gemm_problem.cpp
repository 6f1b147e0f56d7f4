#include "profilers/kernels/gemm_problem.hpp"

namespace echo::profilers {

static GemmOperand operand(std::int64_t rows, std::int64_t columns, bool is_transposed) {
  return {.rows = rows, .columns = columns, .ld = rows, .is_transposed = is_transposed};
}

GemmProblem gemm_problem(const ops::KernelKey& key) {
  const std::int64_t m = key.m, n = key.n, k = key.k;
  const ops::GemmLayout layout = machine::is_narrow(key.precision) ? ops::GemmLayout::tn : key.layout;
  switch (layout) {
    case ops::GemmLayout::tn:
      return {n, m, k, operand(k, n, true), operand(k, m, false), operand(n, m, false)};
    case ops::GemmLayout::nn:
      return {n, m, k, operand(n, k, false), operand(k, m, false), operand(n, m, false)};
    case ops::GemmLayout::nt:
      return {m, n, k, operand(m, k, false), operand(n, k, true), operand(m, n, false)};
  }
  return {};
}

}  // namespace echo::profilers
