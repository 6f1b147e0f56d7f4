// Find the constants of one network from its nccl-tests logs. The formula is that of collective/; which
// algorithm NCCL chose does not depend on the constants, so the problem is smooth. Minimised over log
// constants:
//   sum_i w_i |log(predicted_i / measured_i)| / sum_i w_i  +  strength * sum_f ((log k_f - log k0_f) /
//   width_f)^2
// The absolute value (rounded off within 1 %) bears outliers; the prior holds constants that few rows speak
// about. A kind of GPU starts from the defaults, a cluster from its kind with narrow priors on all that lies
// inside a node. Held-out errors come from five fits, each blind to every fifth family (one log, collective
// and group shape). Method: Nelder-Mead subplex (NLopt LN_SBPLX), deterministic. Neglected: correlation of
// constants in `error`.
#include "calibrate/network_fit.hpp"

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>
#include <string_view>

#include "base/contract.hpp"

namespace echo::calibrate {
namespace {

using collective::NetworkConstants;

constexpr double prior_strength = 0.0015;
constexpr std::int32_t folds = 5;

// Width of the prior in log units: how far a constant may reasonably lie from its start.
double width_of(std::string_view name) {
  if (name.starts_with("nvlink_rate") || name == "nvls_rate" || name == "p2p_rate") return 0.25;
  if (name.starts_with("network_rate")) return 0.4;
  if (name.starts_with("base")) return 0.3;
  if (name == "overlap") return 0.5;
  if (name == "network_delay" || name == "network_post") return 1.5;
  return 0.6;
}

// Floors and ceilings that keep the formula's meaning.
double upper_of(std::string_view name, double start) {
  if (name.find("rate") != std::string_view::npos) return 1.0;
  if (name == "overlap") return 8.0;
  return std::max(start * 10.0, 1.0);
}
double lower_of(std::string_view name, double start) { return name == "overlap" ? 1.0 : start / 20.0; }

double predicted(const NetworkMeasurement& m, const NetworkConstants& k) {
  return to_seconds(collective::price(m.query, m.links, {}, m.nccl_version, k).time);
}

struct Problem {
  std::span<const NetworkMeasurement> rows;
  std::vector<std::size_t> field;  // the free ones
  std::vector<double> centre, width;
  NetworkConstants base;
};

NetworkConstants constants_at(const Problem& problem, const std::vector<double>& x) {
  NetworkConstants k = problem.base;
  const auto fields = collective::network_constant_fields();
  for (std::size_t i = 0; i < x.size(); ++i) k.*fields[problem.field[i]].member = std::exp(x[i]);
  return k;
}

double loss(const std::vector<double>& x, std::vector<double>&, void* data) {
  const Problem& problem = *static_cast<const Problem*>(data);
  const NetworkConstants k = constants_at(problem, x);
  double sum = 0.0, weight = 0.0;
  for (const NetworkMeasurement& m : problem.rows) {
    const double r = std::log(predicted(m, k) / m.seconds);
    sum += m.weight * std::sqrt(r * r + 1e-4);
    weight += m.weight;
  }
  double prior = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = (x[i] - problem.centre[i]) / problem.width[i];
    prior += z * z;
  }
  return sum / weight + prior_strength * prior;
}

// Whether any row's time moves when the field does.
bool matters(std::span<const NetworkMeasurement> rows, const NetworkConstants& at,
             double NetworkConstants::*member) {
  NetworkConstants other = at;
  other.*member *= 0.9;
  return std::any_of(rows.begin(), rows.end(),
                     [&](const NetworkMeasurement& m) { return predicted(m, at) != predicted(m, other); });
}

NetworkConstants minimise(std::span<const NetworkMeasurement> rows, const NetworkConstants& start,
                          const NetworkConstants& centre, std::int32_t evaluations) {
  Problem problem{.rows = rows, .field = {}, .centre = {}, .width = {}, .base = start};
  std::vector<double> x, lower, upper;
  const auto fields = collective::network_constant_fields();
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const double middle = centre.*fields[f].member;
    if (!matters(rows, start, fields[f].member)) continue;
    problem.field.push_back(f);
    problem.centre.push_back(std::log(middle));
    problem.width.push_back(width_of(fields[f].name));
    lower.push_back(std::log(lower_of(fields[f].name, middle)));
    upper.push_back(std::log(upper_of(fields[f].name, middle)));
    x.push_back(std::clamp(std::log(start.*fields[f].member), lower.back(), upper.back()));
  }
  if (x.empty()) return start;
  nlopt::opt search(nlopt::LN_SBPLX, static_cast<unsigned>(x.size()));
  search.set_min_objective(loss, &problem);
  search.set_lower_bounds(lower);
  search.set_upper_bounds(upper);
  search.set_initial_step(0.1);
  search.set_xtol_rel(1e-4);
  search.set_maxeval(evaluations);
  double best = 0.0;
  search.optimize(x, best);
  return constants_at(problem, x);
}

double mean_error(std::span<const NetworkMeasurement> rows, const NetworkConstants& k) {
  double sum = 0.0, weight = 0.0;
  for (const NetworkMeasurement& m : rows) {
    sum += m.weight * std::abs(std::log(predicted(m, k) / m.seconds));
    weight += m.weight;
  }
  return sum / weight;
}

// Relative change of one constant that costs a tenth of a percentage point of mean error, at most its prior's
// width: wide for what the rows hardly speak about.
double leeway(std::span<const NetworkMeasurement> rows, const NetworkConstants& k,
              const collective::NetworkConstantField& field) {
  constexpr double step = 0.1, tolerance = 0.001;
  NetworkConstants up = k, down = k;
  up.*field.member *= std::exp(step);
  down.*field.member *= std::exp(-step);
  const double rise = 0.5 * (mean_error(rows, up) + mean_error(rows, down)) - mean_error(rows, k);
  return rise > 0.0 ? std::min(width_of(field.name), step * std::sqrt(tolerance / rise))
                    : width_of(field.name);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void finish(NetworkErrors& errors) {
  errors.rows = static_cast<std::int64_t>(errors.absolute.size());
  errors.median = median(errors.absolute);
  errors.median_large = median(errors.absolute_large);
  for (const double e : errors.absolute) errors.mean += e / static_cast<double>(errors.rows);
}

void add(NetworkErrors& errors, const NetworkMeasurement& m, const NetworkConstants& k) {
  const double ratio = predicted(m, k) / m.seconds;
  errors.absolute.push_back(std::abs(ratio - 1.0));
  if (m.query.payload.value >= (16 << 20)) errors.absolute_large.push_back(std::abs(ratio - 1.0));
  errors.bias += std::log(ratio);
}

}  // namespace

NetworkErrors network_errors(std::span<const NetworkMeasurement> rows, const NetworkConstants& k) {
  NetworkErrors errors;
  for (const NetworkMeasurement& m : rows) add(errors, m, k);
  if (!rows.empty()) errors.bias /= static_cast<double>(rows.size());
  finish(errors);
  return errors;
}

NetworkFit fit_network(std::span<const NetworkMeasurement> all, const NetworkConstants& start) {
  const auto fields = collective::network_constant_fields();
  NetworkFit fit;
  fit.constants = start;
  fit.error.assign(fields.size(), 0.0);
  std::vector<NetworkMeasurement> rows, tests;
  for (const NetworkMeasurement& m : all) (m.use == Use::fit ? rows : tests).push_back(m);
  for (const auto& field : fields) fit.moved.push_back(matters(rows, start, field.member));
  if (rows.empty()) return fit;
  // Two passes: the second restarts the simplex where the first stalled.
  fit.constants = minimise(rows, minimise(rows, start, start, 4000), start, 4000);
  fit.fitted = network_errors(rows, fit.constants);
  fit.test_only = network_errors(tests, fit.constants);
  const auto is_small = [](const NetworkMeasurement& m) { return m.query.group.nodes <= 2; };
  std::vector<NetworkMeasurement> few = rows;
  const auto many = std::stable_partition(few.begin(), few.end(), is_small);
  if (many != few.begin() && many != few.end()) {
    const NetworkConstants k = minimise({few.begin(), many}, start, start, 4000);
    fit.more_nodes = network_errors({many, few.end()}, k);
  }
  for (std::int32_t fold = 0; fold < folds; ++fold) {
    std::vector<NetworkMeasurement> seen, unseen;
    for (const NetworkMeasurement& m : rows) (m.family % folds == fold ? unseen : seen).push_back(m);
    if (seen.empty() || unseen.empty()) continue;
    const NetworkConstants k = minimise(seen, start, start, 2500);
    for (const NetworkMeasurement& m : unseen) add(fit.held_out, m, k);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const double off = k.*fields[f].member - fit.constants.*fields[f].member;
      fit.error[f] += off * off / folds;
    }
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (!fit.moved[f]) continue;
    const double value = fit.constants.*fields[f].member;
    fit.error[f] = std::max(std::sqrt(fit.error[f]), value * leeway(rows, fit.constants, fields[f]));
  }
  if (!fit.held_out.absolute.empty()) fit.held_out.bias /= static_cast<double>(fit.held_out.absolute.size());
  finish(fit.held_out);
  return fit;
}

}  // namespace echo::calibrate
