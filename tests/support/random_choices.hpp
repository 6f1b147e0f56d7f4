// Random rankings with errors, and the errors' slow twin: every source of every owner as a variable of its
// own.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "base/counter_rng.hpp"
#include "settle/next_runs.hpp"

namespace echo::settle {

// Errors of a few percent, of up to two clusters and two frameworks.
inline RowError random_row_error(std::uint64_t seed, std::uint64_t row, double scale) {
  RowError error;
  for (std::size_t k = 0; k < error.step.size(); ++k) error.step[k] = scale * draw_unit(seed, row, 10 + k);
  error.owner = {0, static_cast<std::int32_t>(draw(seed, row, 31) % 2),
                 static_cast<std::int32_t>(draw(seed, row, 32) % 2)};
  return error;
}

inline std::vector<Choice> random_choices(std::uint64_t seed, std::size_t count, double scale = 0.04) {
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < count; ++i)
    choices.push_back({.cost = 0.15 * draw_unit(seed, i, 1),
                       .error = random_row_error(seed, i, scale),
                       .price = 1.0,
                       .noise = 2e-4,
                       .competes = true,
                       .can_run = true});
  return choices;
}

// The number of a latent variable: of a source and its owner, or of a row of its own.
class Latent {
 public:
  explicit Latent(std::span<const Choice> choices) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      std::map<std::size_t, double> loads;
      for (std::size_t k = 0; k < error_source_count; ++k) {
        const ErrorOwner owner = owner_of(static_cast<ErrorSource>(k));
        const auto whose = owner == ErrorOwner::config
                               ? static_cast<std::int64_t>(i)
                               : choices[i].error.owner[static_cast<std::size_t>(owner)];
        const auto [place, is_new] =
            variable_.try_emplace({k, owner == ErrorOwner::config, whose}, variable_.size());
        loads[place->second] += choices[i].error.step[k];
      }
      loads_.push_back(loads);
    }
  }
  [[nodiscard]] std::size_t variables() const { return variable_.size(); }
  [[nodiscard]] double error(std::size_t row, const std::vector<double>& u) const {
    double sum = 0.0;
    for (const auto& [variable, load] : loads_[row]) sum += load * u[variable];
    return sum;
  }
  [[nodiscard]] double covariance(std::size_t a, std::size_t b) const {
    double sum = 0.0;
    for (const auto& [variable, load] : loads_[a])
      if (const auto found = loads_[b].find(variable); found != loads_[b].end()) sum += load * found->second;
    return sum;
  }

 private:
  std::map<std::tuple<std::size_t, bool, std::int64_t>, std::size_t> variable_;
  std::vector<std::map<std::size_t, double>> loads_;  // [row]
};

// x of A x = b by Gauss and Jordan with pivots; A [n][n].
inline std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r)
      if (std::abs(a[r][i]) > std::abs(a[pivot][i])) pivot = r;
    std::swap(a[i], a[pivot]), std::swap(b[i], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = a[r][i] / a[i][i];
      for (std::size_t c = 0; c < n; ++c) a[r][c] -= factor * a[i][c];
      b[r] -= factor * b[i];
    }
  }
  for (std::size_t i = 0; i < n; ++i) b[i] /= a[i][i];
  return b;
}

// What the runs `at` (places in `choices`) tell, by the matrix itself.
class DenseTwin {
 public:
  DenseTwin(std::span<const Choice> choices, std::vector<std::size_t> at)
      : latent_(choices), at_(std::move(at)) {
    for (const std::size_t i : at_) {
      matrix_.emplace_back();
      for (const std::size_t j : at_)
        matrix_.back().push_back(latent_.covariance(i, j) + (i == j ? choices[i].noise : 0.0));
    }
  }
  [[nodiscard]] double shift(std::size_t row, const std::vector<double>& surprises) const {
    const std::vector<double> weights = solved(matrix_, surprises);
    double sum = 0.0;
    for (std::size_t k = 0; k < at_.size(); ++k) sum += latent_.covariance(row, at_[k]) * weights[k];
    return sum;
  }
  [[nodiscard]] double covariance(std::size_t a, std::size_t b) const {
    std::vector<double> of_b;
    for (const std::size_t run : at_) of_b.push_back(latent_.covariance(b, run));
    return latent_.covariance(a, b) - shift(a, of_b);
  }
  [[nodiscard]] double distance(const std::vector<double>& surprises) const {
    const std::vector<double> weights = solved(matrix_, surprises);
    double sum = 0.0;
    for (std::size_t k = 0; k < at_.size(); ++k) sum += surprises[k] * weights[k];
    return sum;
  }

 private:
  Latent latent_;
  std::vector<std::size_t> at_;
  std::vector<std::vector<double>> matrix_;
};

}  // namespace echo::settle
