#include "kernels/database/measurement.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/at.hpp"
#include "ops/canonical_kernel.hpp"

namespace echo::kernels {

namespace {

// Sorts `names`, drops those that no row has, and points the rows' `member` to the new place of each name.
template <class Name>
void sort_names(std::vector<Name>& names, std::span<Measurement> rows, std::int32_t Measurement::*member) {
  std::vector<char> used(names.size(), 0);
  for (const Measurement& row : rows) used[at(row.*member)] = 1;
  std::vector<Name> sorted;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (used[i] != 0) sorted.push_back(names[i]);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<std::int32_t> place;
  for (const Name& name : names) {
    const auto found = std::lower_bound(sorted.begin(), sorted.end(), name);
    place.push_back(static_cast<std::int32_t>(found - sorted.begin()));
  }
  for (Measurement& row : rows) row.*member = place[at(row.*member)];
  names = std::move(sorted);
}

}  // namespace

const char* why_unsound(const Measurement& row) {
  if (const char* problem = ops::why_unsound(row.key)) return problem;
  constexpr double longest = 1e4;  // s
  if (!(row.seconds > 0.0 && row.seconds <= longest))
    return "the duration must be above 0 and below 10 000 s";
  if (!(row.spread >= 0.0 && row.spread <= 10.0)) return "the relative spread must be from 0 to 10";
  if (!(row.clock_mhz >= 0.0 && row.clock_mhz <= 1e5)) return "the clock must be from 0 to 100 000 MHz";
  return nullptr;
}

Profile tidied(Profile given) {
  sort_names(given.gpus, given.rows, &Measurement::gpu);
  sort_names(given.origins, given.rows, &Measurement::origin);
  std::sort(given.rows.begin(), given.rows.end());
  return given;
}

Profile joined(const Profile& a, const Profile& b) {
  Profile both = a;
  both.gpus.insert(both.gpus.end(), b.gpus.begin(), b.gpus.end());
  both.origins.insert(both.origins.end(), b.origins.begin(), b.origins.end());
  for (Measurement row : b.rows) {
    row.gpu += static_cast<std::int32_t>(a.gpus.size());
    row.origin += static_cast<std::int32_t>(a.origins.size());
    both.rows.push_back(row);
  }
  sort_names(both.gpus, both.rows, &Measurement::gpu);
  sort_names(both.origins, both.rows, &Measurement::origin);
  const auto second = both.rows.begin() + static_cast<std::ptrdiff_t>(a.rows.size());
  std::sort(both.rows.begin(), second);
  std::sort(second, both.rows.end());
  std::vector<Measurement> rows;
  std::set_union(both.rows.begin(), second, second, both.rows.end(), std::back_inserter(rows));
  both.rows = std::move(rows);
  return both;
}

}  // namespace echo::kernels
