#include "overlaps/import.hpp"

#include <utility>

#include "overlaps/runs.hpp"

namespace echo::overlaps {

Imported import_profiles(std::vector<Profile> profiles) {
  Imported out{std::move(profiles), {}, {}};
  out.runs = runs_of(out.profiles);
  const auto shortest = shortest_over_ranks(out.profiles, out.runs);
  for (std::size_t i = 0; i < out.profiles.size(); ++i)
    out.overlaps.push_back(observe(out.profiles[i], shortest[i]));
  return out;
}

const Profile& name_giver(const Imported& imported, std::int32_t run) {
  const Profile* best = nullptr;
  for (std::size_t i = 0; i < imported.profiles.size(); ++i)
    if (imported.runs[i] == run && (best == nullptr || imported.profiles[i].rank < best->rank))
      best = &imported.profiles[i];
  return *best;
}

}  // namespace echo::overlaps
