// The loss is the weighted mean of |log(predicted / measured)|: relative, symmetric, and insensitive to
// outliers such as a library's odd choice on one shape. It has kinks (tile choice, ceilings), so the search
// uses no gradients: NLopt's subplex (Rowan 1990), restarted twice with smaller steps, over variables scaled
// to [0, 1]. No random numbers.
#include "calibrate/kernels/kernel_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlopt.hpp>

#include "base/quantile.hpp"
#include "kernels/price_kernels.hpp"

namespace echo::calibrate {

namespace {

using kernels::KernelConstants;

constexpr std::uint64_t folds = 5;

double predicted(const FitProblem& problem, const KernelMeasurement& row, const KernelConstants& constants) {
  if (problem.predict) return problem.predict(row, constants);
  return to_seconds(kernels::price_kernel(row.key, problem.gpu, constants).alone);
}

struct Search {
  const FitProblem* problem;
  const std::vector<KernelMeasurement>* rows;
  KernelConstants constants;

  void place(const std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const FreeConstant& f = problem->free[i];
      constants.*f.member = f.lower + x[i] * (f.upper - f.lower);
    }
  }
  double loss() const {
    double sum = 0.0, weights = 0.0;
    for (const KernelMeasurement& row : *rows) {
      sum += row.weight * std::abs(std::log(predicted(*problem, row, constants) / row.seconds));
      weights += row.weight;
    }
    return sum / weights;
  }
};

double objective(const std::vector<double>& x, std::vector<double>&, void* data) {
  auto& search = *static_cast<Search*>(data);
  search.place(x);
  return search.loss();
}

KernelConstants with_knots(const FitProblem& problem, const std::vector<KernelMeasurement>& rows,
                           KernelConstants constants) {
  if (problem.knots.member == nullptr) return constants;
  constants.*problem.knots.member = {};
  std::vector<KnotSample> samples;
  for (const KernelMeasurement& row : rows)
    samples.push_back({.point = problem.knots.place(row.key),
                       .log_ratio = std::log(row.seconds / predicted(problem, row, constants)),
                       .weight = row.weight});
  constants.*problem.knots.member = fit_knots(problem.knots.grid, samples);
  return constants;
}

KernelConstants fit_rows(const FitProblem& problem, const std::vector<KernelMeasurement>& rows,
                         const KernelConstants& start) {
  if (rows.empty()) return start;
  if (problem.free.empty()) return with_knots(problem, rows, start);
  std::vector<KernelMeasurement> searched;
  for (std::size_t i = 0; i < rows.size(); i += problem.stride) searched.push_back(rows[i]);
  Search search{&problem, &searched, start};
  if (problem.knots.member != nullptr) search.constants.*problem.knots.member = {};
  std::vector<double> x;
  for (const FreeConstant& f : problem.free)
    x.push_back(std::clamp((start.*f.member - f.lower) / (f.upper - f.lower), 0.0, 1.0));
  const auto count = static_cast<unsigned>(x.size());
  for (const double step : {0.2, 0.05}) {
    nlopt::opt optimizer(nlopt::LN_SBPLX, count);
    optimizer.set_lower_bounds(0.0);
    optimizer.set_upper_bounds(1.0);
    optimizer.set_initial_step(step);
    optimizer.set_ftol_rel(1e-6);
    optimizer.set_maxeval(static_cast<int>(150 * count));
    optimizer.set_min_objective(objective, &search);
    double least = 0.0;
    optimizer.optimize(x, least);
  }
  search.place(x);
  return with_knots(problem, rows, search.constants);
}

}  // namespace

KernelConstants fit_constants(const FitProblem& problem, const KernelConstants& start) {
  return fit_rows(problem, {problem.rows.begin(), problem.rows.end()}, start);
}

CrossValidation cross_validate(const FitProblem& problem, const KernelConstants& start,
                               const std::function<bool(const KernelMeasurement&)>& scored) {
  std::vector<double> errors, mean(problem.free.size()), square(problem.free.size());
  CrossValidation out;
  for (std::uint64_t fold = 0; fold < folds; ++fold) {
    std::vector<KernelMeasurement> kept;
    for (const KernelMeasurement& row : problem.rows) {
      if (row.family % folds != fold) kept.push_back(row);
    }
    if (kept.empty()) continue;
    const KernelConstants fitted = fit_rows(problem, kept, start);
    for (std::size_t i = 0; i < problem.free.size(); ++i) {
      const double value = fitted.*problem.free[i].member;
      mean[i] += value / folds, square[i] += value * value / folds;
    }
    for (const KernelMeasurement& row : problem.rows) {
      if (row.family % folds != fold || !scored(row)) continue;
      const double ratio = predicted(problem, row, fitted) / row.seconds;
      errors.push_back(std::abs(ratio - 1.0));
      out.errors.bias += std::log(ratio);
    }
  }
  for (std::size_t i = 0; i < mean.size(); ++i)
    out.spread.push_back(std::sqrt(std::max(0.0, square[i] - mean[i] * mean[i])));
  out.errors.rows = static_cast<std::int64_t>(errors.size());
  if (errors.empty()) return out;
  std::sort(errors.begin(), errors.end());
  const auto count = static_cast<double>(errors.size());
  out.errors.median = quantile(errors, 0.5);
  for (const double e : errors) out.errors.mean += e / count;
  out.errors.bias /= count;
  return out;
}

}  // namespace echo::calibrate
