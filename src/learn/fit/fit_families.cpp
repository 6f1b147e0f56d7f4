// Slowdown rates by kernel name.
//
// The problem: some kernels are slowed by communication whatever their metrics are (Echo's layer-norm weight
// gradient takes 4 times as long, other kernels of similar throughput and occupancy do not change), so the
// name is the best single predictor there is; but a family may have two rows, and rows are noisy.
//
// The idea: families nest (any kernel > short name > full name > full name at one size), each is shrunk
// towards the one around it, and "best" is defined by the relative error of the overlapped duration. For a
// row that takes T alone and T' overlapped, with a share r of its time overlapped, a predicted slowdown x
// costs
//   |T (1 + r x) - T'| / T' = (r T / T') |x - s|,   s = the row's own slowdown,
// so the sum over a family is least at the median of s weighted by r T / T'. Heavy tails have little effect:
// rows slowed 30-fold have a thirtieth of the weight. The coarser family counts as `prior` rows that are
// overlapped all the time and take no longer (weight 1 each), which is about the weight of the most
// informative row.
//
// Neglected: communication itself. Echo's table does not record what ran beside a kernel.
#include "learn/fit/fit_families.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "base/contract.hpp"

namespace echo::learn {

namespace {

using Key = std::tuple<std::string, std::string, std::int32_t>;
constexpr std::int32_t any_size = slowdown::FamilyRate::any_size;

// The families of a row, coarsest first.
std::vector<Key> families_of(const slowdown::OverlapRow& row, std::int32_t sizes_per_octave) {
  if (row.kernel.empty()) return {};
  std::vector<Key> keys{{row.kernel, "", any_size}};
  if (!row.full_name.empty()) keys.emplace_back(row.kernel, row.full_name, any_size);
  keys.emplace_back(row.kernel, row.full_name, slowdown::size_of(row.alone, sizes_per_octave));
  return keys;
}

struct Members {
  Key parent;
  std::vector<double> slowdowns, weights;
};

double slowdown_of_kept(double kept) { return 1.0 / kept - 1.0; }

}  // namespace

double kept_of(const slowdown::OverlapRow& row) {
  const double longer = 1.0 + slowdown::slowdown_of(row);
  return longer > 0.0 ? std::clamp(1.0 / longer, least_kept, most_kept) : most_kept;
}

double weighted_median(std::span<const double> values, std::span<const double> weights) {
  ECHO_EXPECT(!values.empty() && values.size() == weights.size());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double half = 0.5 * std::accumulate(weights.begin(), weights.end(), 0.0);
  double below = 0.0;
  for (const std::size_t i : order) {
    below += weights[i];
    if (below >= half) return values[i];
  }
  return values[order.back()];
}

slowdown::Families fit_families(const RowPointers& rows, const FamilySettings& settings) {
  ECHO_EXPECT(settings.prior > 0.0);
  std::map<Key, Members> families;  // a parent stands before its children
  for (const slowdown::OverlapRow* row : rows) {
    if (!(row->overlap_ratio > 0.0)) continue;
    Key parent{"", "", any_size};
    for (Key& key : families_of(*row, settings.sizes_per_octave)) {
      Members& family = families[key];
      family.parent = parent;
      family.slowdowns.push_back(slowdown_of_kept(kept_of(*row)));
      family.weights.push_back(row->overlap_ratio * row->alone / row->overlapped);
      parent = std::move(key);
    }
  }
  const auto overlapping = std::count_if(
      rows.begin(), rows.end(), [](const slowdown::OverlapRow* row) { return row->overlap_ratio > 0.0; });
  slowdown::Families found{.sizes_per_octave = settings.sizes_per_octave,
                           .rates = {{.rows = static_cast<std::int32_t>(overlapping)}}};
  std::map<Key, double> fitted{{{"", "", any_size}, 0.0}};
  for (auto& [key, family] : families) {
    const auto count = static_cast<std::int32_t>(family.slowdowns.size());
    family.slowdowns.push_back(fitted.at(family.parent));
    family.weights.push_back(settings.prior);
    const double slowdown = weighted_median(family.slowdowns, family.weights);
    fitted[key] = slowdown;
    const auto& [kernel, full_name, size] = key;
    found.rates.push_back({kernel, full_name, size, 1.0 / (1.0 + slowdown), count});
  }
  return found;
}

std::vector<double> kept_out_of_fold(const RowPointers& rows, std::span<const std::int32_t> fold,
                                     const FamilySettings& settings) {
  ECHO_EXPECT(fold.size() == rows.size());
  std::vector<double> kept(rows.size(), 1.0);
  const std::int32_t folds = fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
  for (std::int32_t held_out = 0; held_out < folds; ++held_out) {
    RowPointers others;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (fold[i] != held_out) others.push_back(rows[i]);
    const slowdown::Families families = fit_families(others, settings);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (fold[i] == held_out) kept[i] = slowdown::kept_by_family(families, *rows[i]);
  }
  return kept;
}

}  // namespace echo::learn
