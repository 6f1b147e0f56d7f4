// As in calibrate/steps/error_fit.cpp the unit is the publication: with s the share of the estimate that a
// part of memory has,
//   error_i = publication * u + sum over the parts k of part_k * s_ik * v_ik,
// u common to the runs of a publication, v of each run its own. Within a publication the covariance is a
// diagonal and a matrix of rank one, so that its inverse and its determinant are sums (Sherman and Morrison).
// The errors of a publication follow a multivariate Student's t with four degrees of freedom, the law by
// which simulate/report/memory_fit.cpp turns the scale into a chance. A publication counts for at most thirty
// runs; scales are fitted as logarithms under a normal prior, since the figures hold every part in a few
// mixtures only. Last comes the conformal step of the other fit: scales are widened until publications that
// the fit has not seen are covered. Neglected: that figures are of runs which fitted.
#include "calibrate/memory/memory_error_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/contract.hpp"
#include "base/student_t.hpp"
#include "calibrate/subplex.hpp"

namespace echo::calibrate {

namespace {

using simulate::ErrorModel;

constexpr double prior_width = 0.7;  // of a logarithm: orders of magnitude are known, factors of two are not
constexpr double most_runs = 30.0;   // that a publication counts for
constexpr double tails = 4.0;        // degrees of freedom of Student's t
constexpr double finest = 1e-4;      // variance of a run's own error: figures are printed to whole GB

double square(double x) { return x * x; }

using Publications = std::map<std::string, std::vector<const MemoryError*>>;

Publications publications_of(const std::vector<MemoryError>& errors) {
  Publications out;
  for (const MemoryError& one : errors) out[one.publication].push_back(&one);
  return out;
}

double misfit_of(const std::vector<const MemoryError*>& runs, const ErrorModel& model) {
  ErrorModel own = model;
  own.memory_publication = 0.0;
  const double shared = square(model.memory_publication);
  double precision = 0.0, weighted = 0.0, squares = 0.0, volume = 0.0;
  for (const MemoryError* run : runs) {
    const double variance = square(simulate::memory_scale(own, run->holds)) + finest;
    precision += 1.0 / variance, weighted += run->error / variance;
    squares += square(run->error) / variance, volume += std::log(variance);
  }
  const double distance = squares - shared * square(weighted) / (1.0 + shared * precision);
  volume += std::log1p(shared * precision);
  const auto rows = static_cast<double>(runs.size());
  const double counted = std::min(most_runs, rows), share = counted / rows;
  return 0.5 * ((tails + counted) * std::log1p(share * distance / tails) + share * volume);
}

using Free = std::array<double ErrorModel::*, 4>;
constexpr Free free_fields{&ErrorModel::memory_states, &ErrorModel::memory_activations,
                           &ErrorModel::memory_rest, &ErrorModel::memory_publication};

struct Search {
  const Publications* publications;
  ErrorModel prior, model;

  double operator()(const std::vector<double>& x) {  // logarithms, from the prior's
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      model.*free_fields[i] = prior.*free_fields[i] * std::exp(x[i]);
      sum += 0.5 * square(x[i] / prior_width);
    }
    for (const auto& [name, runs] : *publications) sum += misfit_of(runs, model);
    return sum;
  }
};

}  // namespace

double memory_misfit(const std::vector<MemoryError>& errors, const ErrorModel& model) {
  double sum = 0.0;
  for (const auto& [name, runs] : publications_of(errors)) sum += misfit_of(runs, model);
  return sum;
}

ErrorModel fit_memory_errors(const std::vector<MemoryError>& errors, const ErrorModel& prior) {
  ECHO_EXPECT(!errors.empty());
  const Publications publications = publications_of(errors);
  Search search{&publications, prior, prior};
  search_least(search, free_fields.size(), {.most = 4.0, .tolerance = 1e-9, .evaluations = 2000});
  return search.model;
}

std::vector<accuracy::BandedError> unseen_memory_errors(const std::vector<MemoryError>& errors,
                                                        const ErrorModel& prior) {
  std::vector<accuracy::BandedError> out;
  for (const auto& [name, runs] : publications_of(errors)) {
    std::vector<MemoryError> others = errors;
    std::erase_if(others, [&name = name](const MemoryError& one) { return one.publication == name; });
    const ErrorModel model = others.empty() ? prior : fit_memory_errors(others, prior);
    for (const MemoryError* run : runs)
      out.push_back({name, run->error, simulate::memory_scale(model, run->holds)});
  }
  return out;
}

double memory_widening(const std::vector<accuracy::BandedError>& unseen) {
  return std::max(1.0, accuracy::factor_that_covers(unseen, 0.8) / student_t4_quantile(0.9));
}

ErrorModel widened_memory_errors(const std::vector<MemoryError>& errors, const ErrorModel& prior) {
  ErrorModel model = fit_memory_errors(errors, prior);
  const double factor = memory_widening(unseen_memory_errors(errors, prior));
  for (double ErrorModel::*const field : free_fields) model.*field *= factor;
  return model;
}

}  // namespace echo::calibrate
