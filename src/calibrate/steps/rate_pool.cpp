// How far products run below a micro-benchmark inside a training step, from few and unequal witnesses.
//
// Problem. One publication's runs of one layout move a median wherever that layout is mispriced for another
// reason: three runs of one model at tp 8 once set the 8-bit rate of all Blackwell parts. Idea: a linear
// mixed model. An observation of kind k, operand width w and publication p is
//   y = mean(family, w) + kind(k) + kind_width(k, w) + publication(p, k, w) + noise / sqrt(layouts)
// with independent normal effects, so that a kind with much evidence keeps its own value, one with little
// moves towards its family, and one with none has its family's mean. The publication is the unit: however
// many runs it prints, its own effect remains. Means of a family's widths start from one prior and are
// otherwise free. Heavy tails: the variance of a publication's effect is multiplied by (nu + z^2) / (nu + 1),
// nu = 4, with z its standardised residual, until it settles (the EM algorithm for Student's t; Lange,
// Little, Taylor, "Robust statistical modeling using the t distribution", JASA 1989).
#include "calibrate/steps/rate_pool.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace echo::calibrate {

namespace {

constexpr double degrees_of_freedom = 4.0;
constexpr int rounds = 50;

double square(double x) { return x * x; }

// Covariance of the true values of two cells, without publication and noise.
double shared(const std::string& family, const std::string& kind, int width, const RateObservation& other,
              const RateSpread& s) {
  if (family != other.family) return 0.0;
  double sum = width == other.width ? square(s.family) : 0.0;
  if (kind == other.kind) sum += square(s.kind) + (width == other.width ? square(s.kind_width) : 0.0);
  return sum;
}

}  // namespace

PooledRate pooled_rate(std::span<const RateObservation> seen, const std::string& family,
                       const std::string& kind, int width, const RateSpread& s) {
  const double prior = square(s.family) + square(s.kind) + square(s.kind_width);
  const auto n = static_cast<Eigen::Index>(seen.size());
  if (n == 0) return {s.mean, std::sqrt(prior)};
  Eigen::MatrixXd truth(n, n);
  Eigen::VectorXd off(n), own(n), cross(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const RateObservation& a = seen[static_cast<std::size_t>(i)];
    off[i] = a.log_factor - s.mean;
    own[i] = square(s.publication) + square(s.layout) / std::max(1, a.layouts);
    cross[i] = shared(family, kind, width, a, s);
    for (Eigen::Index j = 0; j < n; ++j)
      truth(i, j) = shared(a.family, a.kind, a.width, seen[static_cast<std::size_t>(j)], s);
  }
  Eigen::VectorXd variance = own;
  Eigen::LLT<Eigen::MatrixXd> factor;
  for (int round = 0; round < rounds; ++round) {
    factor.compute(truth + Eigen::MatrixXd(variance.asDiagonal()));
    const Eigen::VectorXd residual = off - truth * factor.solve(off);
    for (Eigen::Index i = 0; i < n; ++i)
      variance[i] = own[i] * (degrees_of_freedom + square(residual[i]) / own[i]) / (degrees_of_freedom + 1.0);
  }
  factor.compute(truth + Eigen::MatrixXd(variance.asDiagonal()));
  return {s.mean + cross.dot(factor.solve(off)),
          std::sqrt(std::max(0.0, prior - cross.dot(factor.solve(cross))))};
}

}  // namespace echo::calibrate
