#include "profilers/kernels/gemm_problem.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/counter_rng.hpp"

namespace echo::profilers {
namespace {

using Matrix = std::vector<double>;

Matrix random_matrix(std::int64_t elements, std::uint64_t seed) {
  Matrix out;
  for (std::int64_t i = 0; i < elements; ++i)
    out.push_back(draw_unit(seed, 1, static_cast<std::uint64_t>(i)));
  return out;
}

double at(const Matrix& matrix, const GemmOperand& operand, std::int64_t i, std::int64_t j) {
  return operand.is_transposed ? matrix[static_cast<std::size_t>(j + i * operand.ld)]
                               : matrix[static_cast<std::size_t>(i + j * operand.ld)];
}

// D = op(A) op(B) as cuBLAS defines it, column-major.
Matrix column_major_product(const GemmProblem& p, const Matrix& a, const Matrix& b) {
  Matrix d(static_cast<std::size_t>(p.d.elements()), 0.0);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j)
      for (std::int64_t k = 0; k < p.k; ++k)
        d[static_cast<std::size_t>(i + j * p.d.ld)] += at(a, p.a, i, k) * at(b, p.b, k, j);
  return d;
}

constexpr std::int64_t rows = 5, inputs = 3, outputs = 4;

TEST(GemmProblem, TnIsALinearLayerForward) {
  // Y[rows, outputs] = X[rows, inputs] W[outputs, inputs]', all row-major, as frameworks hold them.
  const GemmProblem p = gemm_problem({.kind = ops::KernelKind::gemm, .m = rows, .n = outputs, .k = inputs});
  const Matrix x = random_matrix(rows * inputs, 1), w = random_matrix(outputs * inputs, 2);
  const Matrix y = column_major_product(p, w, x);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t o = 0; o < outputs; ++o) {
      double sum = 0.0;
      for (std::int64_t i = 0; i < inputs; ++i)
        sum += x[static_cast<std::size_t>(r * inputs + i)] * w[static_cast<std::size_t>(o * inputs + i)];
      EXPECT_NEAR(y[static_cast<std::size_t>(r * outputs + o)], sum, 1e-12);
    }
}

TEST(GemmProblem, NnIsItsInputGradient) {
  // dX[rows, inputs] = dY[rows, outputs] W[outputs, inputs].
  const GemmProblem p = gemm_problem(
      {.kind = ops::KernelKind::gemm, .layout = ops::GemmLayout::nn, .m = rows, .n = inputs, .k = outputs});
  const Matrix dy = random_matrix(rows * outputs, 1), w = random_matrix(outputs * inputs, 2);
  const Matrix dx = column_major_product(p, w, dy);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < inputs; ++i) {
      double sum = 0.0;
      for (std::int64_t o = 0; o < outputs; ++o)
        sum += dy[static_cast<std::size_t>(r * outputs + o)] * w[static_cast<std::size_t>(o * inputs + i)];
      EXPECT_NEAR(dx[static_cast<std::size_t>(r * inputs + i)], sum, 1e-12);
    }
}

TEST(GemmProblem, NtIsItsWeightGradient) {
  // dW[outputs, inputs] = dY[rows, outputs]' X[rows, inputs].
  const GemmProblem p = gemm_problem(
      {.kind = ops::KernelKind::gemm, .layout = ops::GemmLayout::nt, .m = inputs, .n = outputs, .k = rows});
  const Matrix x = random_matrix(rows * inputs, 1), dy = random_matrix(rows * outputs, 2);
  const Matrix dw = column_major_product(p, x, dy);
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t i = 0; i < inputs; ++i) {
      double sum = 0.0;
      for (std::int64_t r = 0; r < rows; ++r)
        sum += dy[static_cast<std::size_t>(r * outputs + o)] * x[static_cast<std::size_t>(r * inputs + i)];
      EXPECT_NEAR(dw[static_cast<std::size_t>(o * inputs + i)], sum, 1e-12);
    }
}

TEST(GemmProblem, RunsEightBitOperandsTransposed) {
  for (const ops::GemmLayout layout : {ops::GemmLayout::tn, ops::GemmLayout::nn, ops::GemmLayout::nt}) {
    const GemmProblem p = gemm_problem({.kind = ops::KernelKind::gemm,
                                        .precision = machine::Precision::fp8,
                                        .layout = layout,
                                        .m = 64,
                                        .n = 32,
                                        .k = 16});
    EXPECT_TRUE(p.a.is_transposed);
    EXPECT_FALSE(p.b.is_transposed);
  }
}

}  // namespace
}  // namespace echo::profilers
