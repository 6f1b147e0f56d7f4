// Profiles of one or several ranks and runs, and the overlaps in them.
#pragma once

#include <cstdint>
#include <vector>

#include "overlaps/observe.hpp"
#include "overlaps/profile.hpp"

namespace echo::overlaps {

struct Imported {
  std::vector<Profile> profiles;          // as given
  std::vector<std::int32_t> runs;         // [profile] its run, from 0
  std::vector<ProfileOverlaps> overlaps;  // [profile]
};
[[nodiscard]] Imported import_profiles(std::vector<Profile>);

// The profile that names the run of another: that of its lowest rank.
[[nodiscard]] const Profile& name_giver(const Imported&, std::int32_t run);

}  // namespace echo::overlaps
