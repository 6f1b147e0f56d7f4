// A kind of GPU starts from the defaults, a cluster from its kind. Held-out errors come from five fits, each
// of which excludes every fifth family (one log, collective and group shape); the variation of the constants
// between these is part of their errors.
#include "calibrate/network/network_fit.hpp"

#include <algorithm>
#include <cmath>

#include "base/quantile.hpp"

namespace echo::calibrate {
namespace {

using collective::MeasuredCollective;
using collective::NetworkConstants;

constexpr std::int32_t folds = 5;

double predicted(const NetworkMeasurement& m, const NetworkConstants& k) {
  return to_seconds(collective::price(m.query, m.links, {}, m.nccl_version, k).time);
}

void finish(NetworkErrors& errors) {
  errors.rows = static_cast<std::int64_t>(errors.absolute.size());
  errors.median = median_or_zero(errors.absolute);
  errors.median_large = median_or_zero(errors.absolute_large);
  for (const double e : errors.absolute) errors.mean += e / static_cast<double>(errors.rows);
}

void add(NetworkErrors& errors, const NetworkMeasurement& m, const NetworkConstants& k) {
  const double ratio = predicted(m, k) / m.seconds;
  errors.absolute.push_back(std::abs(ratio - 1.0));
  if (m.query.payload.value >= (16 << 20)) errors.absolute_large.push_back(std::abs(ratio - 1.0));
  errors.bias += std::log(ratio);
}

using Rows = std::vector<NetworkMeasurement>;

// Adds to `errors` the errors of a fit to the rows that pass `sees` on those that do not.
template <class Sees>
collective::FittedConstants fit_blind(const Rows& rows, const NetworkConstants& start,
                                      collective::Guess guess, const Sees& sees, NetworkErrors& errors) {
  std::vector<MeasuredCollective> seen;
  for (const NetworkMeasurement& m : rows)
    if (sees(m)) seen.push_back(m);
  const auto fit = collective::fit_constants(seen, start, guess);
  for (const NetworkMeasurement& m : rows)
    if (!sees(m) && !seen.empty()) add(errors, m, fit.constants);
  return fit;
}

}  // namespace

double median_or_zero(const std::vector<double>& errors) { return errors.empty() ? 0.0 : median_of(errors); }

NetworkErrors network_errors(std::span<const NetworkMeasurement> rows, const NetworkConstants& k) {
  NetworkErrors errors;
  for (const NetworkMeasurement& m : rows) add(errors, m, k);
  if (!rows.empty()) errors.bias /= static_cast<double>(rows.size());
  finish(errors);
  return errors;
}

NetworkFit fit_network(std::span<const NetworkMeasurement> all, const NetworkConstants& start,
                       collective::Guess guess) {
  const auto fields = collective::network_constant_fields();
  Rows rows, tests;
  for (const NetworkMeasurement& m : all) (m.use == Use::fit ? rows : tests).push_back(m);
  const auto whole = collective::fit_constants(rows_to_fit(rows), start, guess);
  NetworkFit fit{whole.constants, whole.error, whole.moved, {}, {}, {}, {}};
  if (rows.empty()) return fit;
  fit.fitted = network_errors(rows, fit.constants);
  fit.test_only = network_errors(tests, fit.constants);
  (void)fit_blind(
      rows, start, guess, [](const auto& m) { return m.query.group.nodes <= 2; }, fit.more_nodes);
  if (!fit.more_nodes.absolute.empty())
    fit.more_nodes.bias /= static_cast<double>(fit.more_nodes.absolute.size());
  finish(fit.more_nodes);
  std::vector<double> wander(fields.size(), 0.0);
  for (std::int32_t fold = 0; fold < folds; ++fold) {
    const auto part = fit_blind(
        rows, start, guess, [fold](const auto& m) { return m.family % folds != fold; }, fit.held_out);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const double off = part.constants.*fields[f].member - fit.constants.*fields[f].member;
      wander[f] += off * off / folds;
    }
  }
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (fit.moved[f]) fit.error[f] = std::max(std::sqrt(wander[f]), fit.error[f]);
  if (!fit.held_out.absolute.empty()) fit.held_out.bias /= static_cast<double>(fit.held_out.absolute.size());
  finish(fit.held_out);
  return fit;
}

}  // namespace echo::calibrate
