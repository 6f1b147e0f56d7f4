#include "kernels/knots.hpp"

#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::kernels {

double octaves(double value) {
  ECHO_EXPECT(value > 0.0);
  int exponent = 0;
  const double fraction =
      std::frexp(value, &exponent);  // value = fraction * 2^exponent, fraction in [1/2, 1)
  return exponent - 1 + (2.0 * fraction - 1.0);
}

namespace {

// The knot at or before x, and the fraction of the distance from it to the next one.
struct Between {
  std::int32_t low = 0;
  double part = 0.0;
};

Between place_on(const std::vector<double>& at, double x) {
  if (at.size() < 2 || x <= at.front()) return {0, 0.0};
  std::size_t next = 1;
  while (next + 1 < at.size() && at[next] < x) ++next;
  const double part = (x - at[next - 1]) / (at[next] - at[next - 1]);
  return {static_cast<std::int32_t>(next) - 1, part < 1.0 ? part : 1.0};
}

}  // namespace

KnotWeights knots_around(const Knots& knots, const std::array<double, 3>& point) {
  ECHO_EXPECT(!knots.factor.empty());
  std::array<Between, 3> on;
  std::array<std::int32_t, 3> step{};  // to the next knot of an axis, none past its last
  std::int32_t stride = 1, base = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    on[axis] = place_on(knots.at[axis], point[axis]);
    base += on[axis].low * stride;
    step[axis] = knots.at[axis].size() > 1 ? stride : 0;
    stride *= static_cast<std::int32_t>(knots.at[axis].size());
  }
  KnotWeights out{};
  for (std::size_t corner = 0; corner < 8; ++corner) {
    out.knot[corner] = base;
    out.weight[corner] = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool upper = (corner >> axis & 1) != 0;
      if (upper) out.knot[corner] += step[axis];
      out.weight[corner] *= upper ? on[axis].part : 1.0 - on[axis].part;
    }
  }
  return out;
}

double correction(const Knots& knots, const std::array<double, 3>& point) {
  if (knots.factor.empty()) return 1.0;
  const KnotWeights around = knots_around(knots, point);
  double sum = 0.0;
  for (std::size_t i = 0; i < 8; ++i) sum += around.weight[i] * knots.factor[at(around.knot[i])];
  return sum;
}

}  // namespace echo::kernels
