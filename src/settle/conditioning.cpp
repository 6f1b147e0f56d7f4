// Problem: a few runs are measured; what do they say of all other rows? The error model has the answer:
// errors of rows are correlated through the sources that they share.
//
// With C the covariance of the errors of ln step_time, M the measured rows, y their surprises and N the noise
// of measuring (diagonal), let L L' = C_MM + N. Then for any row r, with t_r = L^-1 C_Mr,
//   expected error     t_r . L^-1 y
//   covariance         C_rs - t_r . t_s
// (the normal law conditioned; Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section
// 2.2). So a vector of one number per run and row says all that the runs do, and variances of differences
// need no matrix.
//
// The errors of one machine and framework follow a multivariate Student's t of four degrees of freedom: they
// have one scale in common, which differs between machines. The runs tell of that scale as well: given n
// runs, the law is a t of 4 + n degrees of freedom whose scale matrix is the conditioned one times
// (4 + d) / (4 + n), d = y' (C_MM + N)^-1 y in units of the t's scale (Ding, "On the conditional distribution
// of the multivariate t distribution", The American Statistician 2016). Standard deviations here are those of
// the normal law with the same 90th percentile, as everywhere in files; spread() carries one to the other.
// Neglected: that the noise of measuring does not share the common scale.
#include "settle/conditioning.hpp"

#include <cmath>
#include <numeric>

#include "base/contract.hpp"
#include "base/student_t.hpp"

namespace echo::settle {

namespace {

double spread_of(std::size_t runs, double distance) {
  if (runs == 0) return 1.0;
  const double before = student_t_quantile(0.9, error_tails),
               after = student_t_quantile(0.9, error_tails + static_cast<int>(runs));
  const double in_scales = distance * (before / z90) * (before / z90);
  const double widened = (error_tails + in_scales) / (error_tails + static_cast<double>(runs));
  return std::sqrt(widened) * after / before;
}

}  // namespace

Conditioning::Conditioning(std::span<const MeasuredRun> runs) : runs_(runs.begin(), runs.end()) {
  std::vector<double> surprises;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    ECHO_EXPECT(runs_[i].noise > 0.0);
    std::vector<double> covariances;
    for (std::size_t j = 0; j < i; ++j) {
      ECHO_EXPECT(runs_[i].row != runs_[j].row);
      covariances.push_back(step_covariance(runs_[i].error, runs_[j].error, Rows::different));
    }
    covariances.push_back(step_variance(runs_[i].error) + runs_[i].noise);
    factor_.add(covariances);
    surprises.push_back(runs_[i].surprise);
  }
  whitened_ = factor_.solve(surprises);
  spread_ =
      spread_of(runs_.size(), std::inner_product(whitened_.begin(), whitened_.end(), whitened_.begin(), 0.0));
}

Conditioning::Explained Conditioning::about(std::int64_t row, const RowError& error) const {
  std::vector<double> covariances;
  covariances.reserve(runs_.size());
  for (const MeasuredRun& run : runs_)
    covariances.push_back(step_covariance(error, run.error, run.row == row ? Rows::same : Rows::different));
  Explained out;
  out.explained = factor_.solve(covariances);
  out.shift = std::inner_product(out.explained.begin(), out.explained.end(), whitened_.begin(), 0.0);
  return out;
}

RowError Conditioning::remaining(const RowError& error, const std::vector<double>& explained) const {
  RowError out = error;
  for (double& one : out.step) one *= spread_;
  out.explained = explained;
  for (double& one : out.explained) one *= spread_;
  return out;
}

}  // namespace echo::settle
