// The lower triangular factor L of a covariance matrix, L L' = C, built row by row.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "base/contract.hpp"

namespace echo::settle {

class Cholesky {
 public:
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  // L^-1 c, of the first min(c.size(), size()) rows.
  [[nodiscard]] std::vector<double> solve(std::span<const double> c) const {
    std::vector<double> x;
    for (std::size_t i = 0; i < rows_.size() && i < c.size(); ++i) {
      double rest = c[i];
      for (std::size_t j = 0; j < i; ++j) rest -= rows_[i][j] * x[j];
      x.push_back(rows_[i][i] > 0.0 ? rest / rows_[i][i] : 0.0);
    }
    return x;
  }
  // Adds a variable: its covariances with those before it, then its variance. One that those before it
  // determine has a zero on the diagonal.
  void add(std::span<const double> covariances) {
    ECHO_EXPECT(covariances.size() == size() + 1);
    std::vector<double> row = solve(covariances);
    double rest = covariances.back();
    for (const double one : row) rest -= one * one;
    constexpr double rounding = 1e-14;  // of a variance
    row.push_back(rest > rounding * covariances.back() ? std::sqrt(rest) : 0.0);
    rows_.push_back(std::move(row));
  }
  // [size()] L z: of independent standard normal z, a draw with this covariance.
  [[nodiscard]] std::vector<double> times(std::span<const double> z) const {
    ECHO_EXPECT(z.size() == size());
    std::vector<double> x(size(), 0.0);
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = 0; j <= i; ++j) x[i] += rows_[i][j] * z[j];
    return x;
  }

 private:
  std::vector<std::vector<double>> rows_;
};

}  // namespace echo::settle
