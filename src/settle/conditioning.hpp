// What measured runs tell of the step times of all rows: the error model, conditioned on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "settle/cholesky.hpp"
#include "settle/row_error.hpp"

namespace echo::settle {

// Degrees of freedom of the Student's t that the errors of a machine and a framework follow together
// (src/calibrate/steps/error_fit.cpp).
inline constexpr int error_tails = 4;

struct MeasuredRun {
  std::int64_t row = 0;   // of the file
  RowError error;         // of its prediction, with nothing explained
  double surprise = 0.0;  // ln(measured step / predicted step)
  double noise = 0.0;     // variance of the measurement (run_noise.hpp)
};

class Conditioning {
 public:
  // Contract: noise > 0; rows are different.
  explicit Conditioning(std::span<const MeasuredRun> runs);

  struct Explained {
    double shift = 0.0;             // expected ln(true step / predicted step)
    std::vector<double> explained;  // [runs] RowError::explained
  };
  [[nodiscard]] Explained about(std::int64_t row, const RowError&) const;
  // The factor on all standard deviations that remain: above 1 where the runs are further off than the error
  // model has them, so that it is likely to be further off elsewhere too; 1 without runs.
  [[nodiscard]] double spread() const { return spread_; }
  // The factor of the covariance of what the runs measure.
  [[nodiscard]] const Cholesky& factor() const { return factor_; }
  // The error of a row that remains.
  [[nodiscard]] RowError remaining(const RowError&, const std::vector<double>& explained) const;

 private:
  std::vector<MeasuredRun> runs_;
  Cholesky factor_;               // of the covariance of what is measured
  std::vector<double> whitened_;  // surprises in its terms
  double spread_ = 1.0;
};

}  // namespace echo::settle
