// A sum of absolute errors is minimised by weighted least squares, each sample weighted by one over its last
// error (iteratively reweighted least squares; Lawson 1961), bounded below so that the weights stay finite.
// The matrix has one row per knot, is positive definite because of `shrink`, and is factored by Eigen's
// dense LDLT.
#include "calibrate/kernels/knot_fit.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace echo::calibrate {

namespace {

constexpr int rounds = 12;
constexpr double smallest_error = 0.01;

// Adds stiffness * (second difference)^2 / rows for every three neighbours along one axis.
void stiffen(const KnotGrid& grid, std::size_t axis, double stiffness, Eigen::MatrixXd& matrix) {
  Eigen::Index stride = 1;
  for (std::size_t later = axis + 1; later < 3; ++later)
    stride *= static_cast<Eigen::Index>(grid.at[later].size());
  const auto& at = grid.at[axis];
  const auto length = static_cast<Eigen::Index>(at.size());
  if (length < 3) return;
  for (Eigen::Index knot = 0; knot < matrix.rows(); ++knot) {
    const Eigen::Index place = knot / stride % length;
    if (place == 0 || place == length - 1) continue;
    const double before = at[place] - at[place - 1], after = at[place + 1] - at[place];
    // Deviation from the straight line through the neighbours, per octave of distance.
    const std::array<double, 3> part{after / (before + after), -1.0, before / (before + after)};
    for (Eigen::Index a = 0; a < 3; ++a)
      for (Eigen::Index b = 0; b < 3; ++b)
        matrix(knot + (a - 1) * stride, knot + (b - 1) * stride) += stiffness * part[a] * part[b];
  }
}

}  // namespace

kernels::Knots fit_knots(const KnotGrid& grid, std::span<const KnotSample> samples) {
  kernels::Knots knots;
  knots.at = grid.at;
  const std::size_t count = grid.at[0].size() * grid.at[1].size() * grid.at[2].size();
  knots.factor.assign(count, 1.0);
  double weights = 0.0;
  for (const KnotSample& sample : samples) weights += sample.weight;
  if (weights <= 0.0) return knots;
  const auto size = static_cast<Eigen::Index>(count);
  Eigen::MatrixXd prior = Eigen::MatrixXd::Identity(size, size) * (grid.shrink / static_cast<double>(count));
  for (std::size_t axis = 0; axis < 3; ++axis)
    stiffen(grid, axis, grid.stiffness / static_cast<double>(count), prior);
  Eigen::VectorXd values = Eigen::VectorXd::Zero(size);
  for (int round = 0; round < rounds; ++round) {
    Eigen::MatrixXd matrix = prior;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    for (const KnotSample& sample : samples) {
      const kernels::KnotWeights around = kernels::knots_around(knots, sample.point);
      double left = sample.log_ratio;
      for (std::size_t i = 0; i < 8; ++i) left -= around.weight[i] * values[around.knot[i]];
      const double weight = sample.weight / weights / std::max(std::abs(left), smallest_error) / 2;
      for (std::size_t i = 0; i < 8; ++i) {
        if (around.weight[i] == 0.0) continue;
        right[around.knot[i]] += weight * around.weight[i] * sample.log_ratio;
        for (std::size_t j = 0; j < 8; ++j)
          matrix(around.knot[i], around.knot[j]) += weight * around.weight[i] * around.weight[j];
      }
    }
    values = matrix.ldlt().solve(right);
  }
  for (std::size_t i = 0; i < count; ++i) knots.factor[i] = std::exp(values[static_cast<Eigen::Index>(i)]);
  return knots;
}

}  // namespace echo::calibrate
