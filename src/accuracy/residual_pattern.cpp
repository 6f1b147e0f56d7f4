#include "accuracy/residual_pattern.hpp"

#include <cmath>

#include "base/contract.hpp"

namespace echo::accuracy {

namespace {

// Sums over groups of rows of one quantity x beside residuals y.
struct Sums {
  double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;

  void add(double at, double residual) {
    n += 1.0, x += at, y += residual;
    xx += at * at, xy += at * residual, yy += residual * residual;
  }
  [[nodiscard]] double spread_x() const { return xx - x * x / n; }
  [[nodiscard]] double spread_y() const { return yy - y * y / n; }
  [[nodiscard]] double together() const { return xy - x * y / n; }
};

constexpr double stands_out = 3.0;  // standard deviations
constexpr double flat = 1e-9;       // a quantity, or a residual, that does not vary

}  // namespace

ResidualPattern pattern_of(std::span<const ResidualRow> rows, std::size_t row) {
  ECHO_EXPECT(row < rows.size());
  const ResidualRow& own = rows[row];
  std::vector<Sums> sums(own.value.size());
  ResidualPattern out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == row || rows[i].group != own.group) continue;
    ECHO_EXPECT(rows[i].value.size() == sums.size());
    ++out.like_rows;
    out.mean += rows[i].residual;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k].add(rows[i].value[k], rows[i].residual);
  }
  if (out.like_rows > 0) out.mean /= out.like_rows;
  if (out.like_rows < fewest_like_rows) return out;
  const double apart = own.residual - out.mean;
  double farthest = stands_out;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const Sums& s = sums[k];
    if (s.spread_x() <= flat * (s.n + s.xx)) continue;
    if (const double far = std::abs(own.value[k] - s.x / s.n) / std::sqrt(s.spread_x() / s.n);
        far >= farthest)
      farthest = far, out.unusual = static_cast<int>(k), out.unusual_mean = s.x / s.n;
    if (s.spread_y() <= flat) continue;
    const double correlation = s.together() / std::sqrt(s.spread_x() * s.spread_y());
    const double explained = s.together() / s.spread_x() * (own.value[k] - s.x / s.n);
    const bool passes = std::abs(correlation) >= weakest_correlation && explained * apart > 0.0 &&
                        std::abs(explained) >= 0.25 * std::abs(apart) &&
                        std::abs(explained) <= 2.0 * std::abs(apart);
    if (!passes || std::abs(correlation) <= std::abs(out.correlation)) continue;
    out.quantity = static_cast<int>(k), out.correlation = correlation, out.explained = explained;
  }
  return out;
}

}  // namespace echo::accuracy
