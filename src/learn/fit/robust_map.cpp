// Minimised: sum over rows of 2 huber(r / s) + sum over parameters of (x / prior)^2, where r = measured -
// predicted(x) and s is the noise of a row. Each round solves the problem linearised at x with weights w =
// min(1, k s / |r|), and halves its step while that does not reduce the objective (Gauss-Newton; Huber,
// "Robust estimation of a location parameter", 1964; k = 1.345 gives up 5 % of efficiency on normal errors).
// The noise is first set to the assumed value: if it were taken from residuals at the start, it would hide a
// shift that all rows share. Only then is it estimated, from the scatter of residuals about their median and
// from the assumption, weighted by the number of rows in excess of the parameters; a few rows say little
// about their own noise.
#include "learn/fit/robust_map.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::learn {

namespace {

constexpr double huber = 1.345;

std::vector<double> residuals(const NearlyKnown& problem, RowsAsked rows, std::span<const double> at) {
  std::vector<double> out = problem.predict(at, rows);
  ECHO_ENSURE(out.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = problem.measured[rows[i]] - out[i];
  return out;
}

double weight_of(double residual, double noise) {
  return std::min(1.0, huber * noise / std::max(std::abs(residual), 1e-300));
}

double objective(const NearlyKnown& problem, const std::vector<double>& residual, double noise,
                 std::span<const double> at) {
  double sum = 0.0;
  for (const double r : residual) {
    const double z = std::abs(r) / noise;
    sum += z <= huber ? z * z : huber * (2.0 * z - huber);
  }
  for (std::size_t p = 0; p < at.size(); ++p) sum += std::pow(at[p] / problem.prior_sigma[p], 2.0);
  return sum;
}

// Covariance of the posterior, linearised: the rows' information at these weights, plus that of the priors.
Eigen::MatrixXd precision(const NearlyKnown& problem, const Slopes& sensitivity,
                          const std::vector<double>& weight, double noise) {
  const auto n = static_cast<Eigen::Index>(problem.prior_sigma.size());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index p = 0; p < n; ++p) out(p, p) = std::pow(problem.prior_sigma[at(p)], -2.0);
  for (std::size_t row = 0; row < sensitivity.size(); ++row) {
    const Eigen::Map<const Eigen::VectorXd> slope(sensitivity[row].data(), n);
    out += weight[row] / (noise * noise) * slope * slope.transpose();
  }
  return out;
}

std::vector<double> sigma_of(const Eigen::MatrixXd& precision) {
  const Eigen::MatrixXd covariance = precision.inverse();
  std::vector<double> out;
  for (Eigen::Index p = 0; p < covariance.rows(); ++p) out.push_back(std::sqrt(covariance(p, p)));
  return out;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A deviation that all rows share is no noise, even where priors keep the parameters from absorbing it.
double spread(std::vector<double> values) {
  const double shared = median(values);
  for (double& value : values) value = std::abs(value - shared);
  return median(std::move(values));
}

double noise_of(const NearlyKnown& problem, const std::vector<double>& residual, double parameters) {
  const double free = std::max(0.0, static_cast<double>(residual.size()) - parameters);
  const double seen = 1.4826 * spread(residual);  // sigma of a normal, from its median size
  const double variance =
      (problem.noise_rows * problem.noise * problem.noise + free * seen * seen) / (problem.noise_rows + free);
  return std::max(problem.least_noise, std::sqrt(variance));
}

struct State {
  std::vector<double> at, residual;
  double noise = 0.0;
};

// One round; false where no step lessens the objective noticeably.
bool improve(const NearlyKnown& problem, RowsAsked rows, const Slopes& slopes, State& state) {
  std::vector<double> weight;
  for (const double r : state.residual) weight.push_back(weight_of(r, state.noise));
  const auto n = static_cast<Eigen::Index>(state.at.size());
  Eigen::VectorXd pull = Eigen::VectorXd::Zero(n);
  for (Eigen::Index p = 0; p < n; ++p) {
    const auto at = static_cast<std::size_t>(p);
    pull(p) = -state.at[at] / std::pow(problem.prior_sigma[at], 2.0);
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Eigen::Map<const Eigen::VectorXd> slope(slopes[row].data(), n);
    pull += weight[row] * state.residual[row] / (state.noise * state.noise) * slope;
  }
  const Eigen::VectorXd step = precision(problem, slopes, weight, state.noise).ldlt().solve(pull);
  const double before = objective(problem, state.residual, state.noise, state.at);
  constexpr double worth = 1e-5, least_share = 0.1;
  for (double share = 1.0; share > least_share; share /= 2) {
    std::vector<double> at = state.at;
    for (Eigen::Index p = 0; p < n; ++p) at[static_cast<std::size_t>(p)] += share * step(p);
    std::vector<double> residual = residuals(problem, rows, at);
    const double after = objective(problem, residual, state.noise, at);
    if (!(after < before)) continue;
    state.at = std::move(at), state.residual = std::move(residual);
    return before - after > worth * (1.0 + before);
  }
  return false;
}

}  // namespace

Slopes sensitivities(const NearlyKnown& problem, RowsAsked rows, std::span<const double> at,
                     std::span<const char> may_move, double width) {
  Slopes out(rows.size(), std::vector<double>(at.size(), 0.0));
  std::vector<double> shifted(at.begin(), at.end());
  for (std::size_t p = 0; p < at.size(); ++p) {
    if (may_move[p] == 0) continue;
    const double step = width * problem.prior_sigma[p];
    shifted[p] = at[p] + step;
    const std::vector<double> above = problem.predict(shifted, rows);
    shifted[p] = at[p] - step;
    const std::vector<double> below = problem.predict(shifted, rows);
    shifted[p] = at[p];
    for (std::size_t row = 0; row < rows.size(); ++row)
      out[row][p] = (above[row] - below[row]) / (2.0 * step);
  }
  return out;
}

std::vector<double> expected_sigma(const NearlyKnown& problem, const Slopes& sensitivities, double noise) {
  return sigma_of(precision(problem, sensitivities, std::vector<double>(sensitivities.size(), 1.0), noise));
}

MostProbable most_probable(const NearlyKnown& problem, RowsAsked rows, std::span<const char> may_move,
                           Slopes slopes, int renewals) {
  ECHO_EXPECT(!rows.empty() && may_move.size() == problem.prior_sigma.size() && slopes.size() == rows.size());
  constexpr int most_rounds = 10, most_noises = 8;
  constexpr double near = 0.2;  // prior sigmas
  for (std::vector<double>& row : slopes)
    for (std::size_t p = 0; p < row.size(); ++p) row[p] = may_move[p] != 0 ? row[p] : 0.0;
  State state{std::vector<double>(problem.prior_sigma.size(), 0.0), {}, problem.noise};
  state.residual = residuals(problem, rows, state.at);
  const auto parameters = static_cast<double>(std::count(may_move.begin(), may_move.end(), 1));
  for (int noises = 0; noises < most_noises; ++noises) {
    const std::vector<double> before = state.at;
    for (int round = 0; round < most_rounds && improve(problem, rows, slopes, state); ++round) continue;
    const double noise = noise_of(problem, state.residual, parameters);
    const bool is_settled = noises > 0 && std::abs(noise - state.noise) < 1e-3 * state.noise;
    state.noise = noise;
    if (is_settled) break;
    if (noises < renewals && state.at != before)
      slopes = sensitivities(problem, rows, state.at, may_move, near);
  }
  MostProbable out{.value = state.at, .sigma = {}, .noise = state.noise, .weight = {}};
  for (const double r : state.residual) out.weight.push_back(weight_of(r, state.noise));
  out.sigma = sigma_of(precision(problem, slopes, out.weight, state.noise));
  return out;
}

}  // namespace echo::learn
