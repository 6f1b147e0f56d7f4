// Fits the standard deviations of prediction errors.
//
// Problem. A publication's runs come from one machine and one framework, so that their errors are
// correlated: a thousand runs of fifteen publications are nearer to fifteen observations than to a thousand.
// Errors have causes, and publications differ in the causes that their steps depend on. Idea: a model of
// random effects. With c_ik the contribution of source k to run i (simulate::contributions, as sweeps report
// it),
//   error_i = sum over shared sources k of c_ik * u(publication, owner of k) + c_i,layout * v_i,
// u and v independent standard normal: within a publication the covariance of the errors is
//   diag(c_layout^2) + sum over k and owners of c_k c_k^T,
// of low rank beside its diagonal (with Woodbury's identity and the determinant lemma the likelihood costs
// rows x effects^2). Standard deviations are fitted as logarithms, so none is negative, under a prior that
// is normal around orders of magnitude from other evidence (src/simulate/report/error_model.hpp): fifteen
// publications cannot determine ten standard deviations by themselves. The errors of a publication follow a
// multivariate Student's t with four degrees of freedom instead of a normal distribution: its runs share one
// scale, so that a publication whose machine or release differs from all others costs the logarithm of its
// distance, and no error is cut off. Publications with many runs do not count for more than thirty runs. Last
// comes a conformal step that needs no distribution at all: bands are scaled until their coverage is as
// stated, a publication weighing as the root of its runs. Neglected: that two publications may have one
// machine.
//
// A run may be known whole, as a config of a sweep is, or a table may leave its settings and its machine
// open, and the framework's defaults on the vendor's machine are assumed. These are two errors, and one set
// of constants for both would be too wide for the first and too narrow for the second. So the constants are
// fitted to runs as their publications describe them (`echo-calibrate held-out`), and what is added where
// settings are assumed to the same runs without those facts (`held-out --stock`): one number where they are
// the framework's defaults, one where the code of the run's suite is known. The second is not scaled by what
// it covers: that code was read with these very runs in sight. In both, predictions come from models that had
// not seen the publication.
//
// Not fitted: the error of a host time that no step tells. Two frameworks have measured host times; left out
// in turn, each leaves one to fit to.
#include "calibrate/steps/error_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "calibrate/steps/step_study.hpp"
#include "calibrate/subplex.hpp"
#include "simulate/report/error_bands.hpp"

namespace echo::calibrate {

namespace {

using simulate::ErrorModel;

constexpr double prior_width = 0.35;  // of a logarithm
constexpr double most_runs = 30.0;    // that a publication counts for
constexpr double tails = 4.0;         // degrees of freedom of Student's t
constexpr std::size_t layout = at(ErrorSource::layout);

double square(double x) { return x * x; }

struct Publication {
  std::vector<const StepError*> runs;
  Eigen::VectorXd error;
  std::map<std::pair<std::size_t, std::int32_t>, Eigen::Index> effect;  // (source, owner) -> its number
};

using Publications = std::vector<Publication>;

Publications publications_of(const std::vector<StepError>& errors) {
  std::map<std::string, Publication> by_name;
  for (const StepError& one : errors) by_name[one.publication].runs.push_back(&one);
  Publications out;
  for (auto& [name, publication] : by_name) {
    publication.error.resize(std::ssize(publication.runs));
    for (std::size_t i = 0; i < publication.runs.size(); ++i) {
      const StepError& run = *publication.runs[i];
      publication.error[static_cast<Eigen::Index>(i)] = run.error;
      for (std::size_t k = 0; k < layout; ++k)
        publication.effect.emplace(std::pair(k, run.owner[k]), std::ssize(publication.effect));
    }
    out.push_back(std::move(publication));
  }
  return out;
}

double misfit_of(const Publication& publication, const ErrorModel& model) {
  const auto rows = static_cast<Eigen::Index>(publication.runs.size());
  const auto effects = static_cast<Eigen::Index>(publication.effect.size());
  Eigen::MatrixXd shared = Eigen::MatrixXd::Zero(rows, effects);
  Eigen::VectorXd own(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const StepError& run = *publication.runs[at(i)];
    const auto error = simulate::contributions(model, run.evidence, run.report);
    for (std::size_t k = 0; k < layout; ++k)
      shared(i, publication.effect.at(std::pair(k, run.owner[k]))) = error[k];
    own[i] = square(error[layout]) + 1e-6;
  }
  const Eigen::MatrixXd scaled = own.cwiseInverse().asDiagonal() * shared;
  const Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(effects, effects) + shared.transpose() * scaled;
  const Eigen::LLT<Eigen::MatrixXd> factor(inner);
  const Eigen::VectorXd projected = scaled.transpose() * publication.error;
  const double distance =
      publication.error.cwiseAbs2().cwiseQuotient(own).sum() - projected.dot(factor.solve(projected));
  const double volume = own.array().log().sum() + 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  const double runs = std::min(most_runs, static_cast<double>(rows)),
               share = runs / static_cast<double>(rows);
  return 0.5 * ((tails + runs) * std::log1p(share * distance / tails) + share * volume);
}

// Constants that runs can determine; the others stay as they are.
using Constants = std::vector<double*>;

// Those fitted to runs whose settings are stated; the last is a ratio.
Constants of_stated(ErrorModel& model) {
  Constants out;
  for (double& one : model.sigma) out.push_back(&one);
  out.insert(out.end(),
             {&model.hidden_communication, &model.mixtures, &model.compiled, &model.tuning,
              &model.untried_choice, &model.untried_gpu, &model.untried_framework, &model.own_share});
  return out;
}

// What is added where they are assumed.
Constants of_unstated(ErrorModel& model) {
  return {&model.unstated_settings, &model.unstated_machine, &model.unstated_suite};
}

using Choose = Constants (*)(ErrorModel&);

struct Search {
  Publications publications;
  ErrorModel prior, model;
  Choose choose;

  double operator()(const std::vector<double>& x) {  // logarithms, from the prior's
    ErrorModel start = prior;
    const Constants from = choose(start), to = choose(model);
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      *to[i] = *from[i] * std::exp(x[i]);
      sum += 0.5 * square(x[i] / prior_width);
    }
    for (const Publication& one : publications) sum += misfit_of(one, model);
    return sum;
  }
};

// `prior` with the chosen constants at their most likely values.
ErrorModel most_likely(const std::vector<StepError>& errors, const ErrorModel& prior, Choose choose) {
  ECHO_EXPECT(!errors.empty());
  Search search{publications_of(errors), prior, prior, choose};
  search_least(search, choose(search.model).size(), {.most = 3.0, .tolerance = 1e-7, .evaluations = 1500});
  return search.model;
}

// Repeats until `bands` standard deviations contain the share: the part that other evidence adds is not
// scaled, so once is not enough.
void scale(const std::vector<StepError>& errors, std::span<double* const> constants, double share,
           double bands, ErrorModel& model) {
  for (int i = 0; i < 4; ++i) {
    const double factor = accuracy::factor_that_covers(banded(errors, model), share) / bands;
    for (double* const one : constants) *one *= factor;
  }
}

}  // namespace

double misfit(const std::vector<StepError>& errors, const ErrorModel& model) {
  double sum = 0.0;
  for (const Publication& one : publications_of(errors)) sum += misfit_of(one, model);
  return sum;
}

std::vector<accuracy::BandedError> banded(const std::vector<StepError>& errors, const ErrorModel& model) {
  std::vector<accuracy::BandedError> out;
  for (const StepError& one : errors) {
    double sum = 0.0;
    for (const double c : simulate::contributions(model, one.evidence, one.report)) sum += square(c);
    out.push_back({one.publication, one.error, std::sqrt(sum)});
  }
  return out;
}

ErrorModel fit_errors(const std::vector<StepError>& errors, const ErrorModel& prior) {
  ErrorModel model = most_likely(errors, prior, of_stated);
  const Constants constants = of_stated(model);
  scale(errors, std::span(constants).first(constants.size() - 1), 0.68, 1.0, model);
  model.p90 = accuracy::factor_that_covers(banded(errors, model), 0.80);
  return model;
}

ErrorModel fit_unstated(const std::vector<StepError>& errors, const ErrorModel& stated) {
  ErrorModel model = most_likely(errors, stated, of_unstated);
  std::vector<StepError> defaults;
  for (const StepError& one : errors)
    if (one.evidence.settings_from == simulate::SettingsFrom::defaults) defaults.push_back(one);
  const std::array<double*, 2> constants{&model.unstated_settings, &model.unstated_machine};
  if (!defaults.empty()) scale(defaults, constants, 0.80, model.p90, model);
  return model;
}

}  // namespace echo::calibrate
