#include "results/write/carried_provenance.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/at.hpp"

namespace echo::results {

// The numbers in the new file of a carried file's failures; those of rows left out have none.
static std::vector<Failure> carried_failures(const CarriedFile& from) {
  std::map<sweep::PointIndex, sweep::PointIndex> renumbered;
  for (const Failure& failure : from.rows->failures()) renumbered[failure.id] = -1;
  for (std::int64_t row = 0; row < from.rows->count() && !renumbered.empty(); ++row) {
    const auto found = renumbered.find(from.rows->number(row));
    if (found == renumbered.end()) continue;
    found->second = from.numbers.empty() ? found->first : from.numbers[at(row)];
  }
  std::vector<Failure> failures;
  for (const Failure& failure : from.rows->failures())
    if (const auto id = renumbered[failure.id]; id >= 0)
      failures.push_back({id, failure.launch + from.first_launch, failure.message});
  return failures;
}

Provenance with_carried(const Provenance& own, std::span<const CarriedFile> files) {
  Provenance all = own;
  for (const CarriedFile& from : files) {
    for (Launch launch : from.rows->launches()) {
      launch.number += from.first_launch;
      all.launches.push_back(launch);
    }
    std::ranges::move(carried_failures(from), std::back_inserter(all.failures));
  }
  // A snapshot recorded launches about which its journals contain more: those come first, and stay.
  std::ranges::stable_sort(all.launches, {}, &Launch::number);
  const auto repeated = std::unique(all.launches.begin(), all.launches.end(),
                                    [](const Launch& a, const Launch& b) { return a.number == b.number; });
  all.launches.erase(repeated, all.launches.end());
  std::ranges::stable_sort(all.failures, [](const Failure& a, const Failure& b) {
    return a.id != b.id ? a.id < b.id : a.launch < b.launch;
  });
  const auto again =
      std::unique(all.failures.begin(), all.failures.end(),
                  [](const Failure& a, const Failure& b) { return a.id == b.id && a.launch == b.launch; });
  all.failures.erase(again, all.failures.end());
  return all;
}

}  // namespace echo::results
