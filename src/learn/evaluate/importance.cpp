#include "learn/evaluate/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "learn/evaluate/inputs.hpp"

namespace echo::learn {

namespace {

// Fisher and Yates.
std::vector<std::int32_t> dealt(Rows rows, std::uint64_t seed, std::uint64_t key) {
  std::vector<std::int32_t> from(rows.begin(), rows.end());
  for (std::size_t left = from.size(); left > 1; --left)
    std::swap(from[left - 1], from[at(draw(seed, key, left) % left)]);
  return from;
}

double error_of(const Fitted& fitted, const Example& asked, const Example& measured, Side side) {
  return std::abs(relative_error(outcome_of(measured.row, side, fitted.slowdown(asked))));
}

bool is_known(const Input& input, const Examples& examples) {
  return input.value == nullptr ||
         std::any_of(examples.rows.begin(), examples.rows.end(),
                     [&](const Example& example) { return !std::isnan(input.value(example)); });
}

// [permutations] summed growth of errors.
std::vector<double> growth_of(const Input& input, std::uint64_t key, const Fitted& fitted,
                              const Examples& examples, Rows rows, std::uint64_t seed) {
  std::vector<double> growth(permutations, 0.0);
  for (std::int32_t repeat = 0; repeat < permutations; ++repeat) {
    const auto from = dealt(rows, seed, key * permutations + static_cast<std::uint64_t>(repeat));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Example& example = examples.rows[rows[i]];
      Example other = example;
      input.take(other, examples.rows[from[i]]);
      growth[repeat] +=
          error_of(fitted, other, example, examples.side) - error_of(fitted, example, example, examples.side);
    }
  }
  return growth;
}

struct Part {
  Fitted fitted;
  std::vector<std::int32_t> rows;
};

std::vector<Importance> over(const std::vector<Part>& parts, const Examples& examples, std::uint64_t seed) {
  double rows = 0.0;
  for (const Part& part : parts) rows += static_cast<double>(part.rows.size());
  std::vector<Importance> found;
  const auto inputs = inputs_of(examples.features);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_known(inputs[i], examples)) continue;
    std::vector<double> growth(permutations, 0.0);
    for (const Part& part : parts) {
      const auto more = growth_of(inputs[i], i, part.fitted, examples, part.rows, seed);
      for (std::int32_t repeat = 0; repeat < permutations; ++repeat) growth[repeat] += more[repeat] / rows;
    }
    const double mean = std::accumulate(growth.begin(), growth.end(), 0.0) / permutations;
    double squares = 0.0;
    for (const double value : growth) squares += (value - mean) * (value - mean);
    found.push_back({std::string(inputs[i].name), mean, std::sqrt(squares / (permutations - 1))});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Importance& a, const Importance& b) { return a.growth > b.growth; });
  return found;
}

}  // namespace

std::vector<Importance> importance_of(const Fitted& fitted, const Examples& examples, Rows rows,
                                      std::uint64_t seed) {
  return over({{fitted, {rows.begin(), rows.end()}}}, examples, seed);
}

std::vector<Importance> importance_of(const Candidate& candidate, std::int32_t setting,
                                      const Examples& examples, const FoldSettings& settings) {
  std::vector<std::int32_t> all(examples.rows.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<Part> parts;
  for (Split& split : splits_of(examples, all, settings)) {
    auto fitted = candidate.fit(examples, split.training, settings.seed);
    parts.push_back({std::move(fitted[setting]), std::move(split.held_out)});
  }
  return over(parts, examples, settings.seed);
}

}  // namespace echo::learn
