#include "overlaps/profile.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"

namespace echo::overlaps {

namespace {

std::int64_t tick_of(const Profile& profile) {
  constexpr std::int64_t microsecond = 1000;
  const bool is_coarse = std::all_of(
      profile.activities.begin(), profile.activities.end(),
      [](const Activity& one) { return one.start % microsecond == 0 && one.duration % microsecond == 0; });
  return is_coarse ? microsecond : 1;
}

std::int32_t implied_sm_count(const Profile& profile) {
  constexpr double most = 4096.0;
  std::int32_t count = 0;
  for (const Launch& launch : profile.launches) {
    const std::int64_t blocks = product_of(launch.grid);
    // Few digits of a small quotient would say little.
    if (blocks == 0 || !(launch.blocks_per_sm > 0.0)) continue;
    const double sms = static_cast<double>(blocks) / launch.blocks_per_sm;
    if (!(sms >= 1.0 && sms <= most) || std::abs(sms - std::round(sms)) > 0.01) continue;
    const auto rounded = static_cast<std::int32_t>(std::round(sms));
    if (count != 0 && count != rounded) return 0;
    count = rounded;
  }
  return count;
}

}  // namespace

std::int32_t Texts::add(std::string_view text) {
  const auto [found, is_new] = ids_.try_emplace(std::string(text), static_cast<std::int32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return found->second;
}

std::int64_t product_of(const std::array<std::int64_t, 3>& extents) {
  constexpr double most = 9007199254740992.0;
  double product = 1.0;
  for (const std::int64_t extent : extents) product *= static_cast<double>(std::max<std::int64_t>(extent, 0));
  return product > most ? 0 : static_cast<std::int64_t>(product);
}

void finish(Profile& profile) {
  auto& all = profile.activities;
  std::stable_sort(all.begin(), all.end(),
                   [](const Activity& a, const Activity& b) { return a.start < b.start; });
  const auto first = std::find_if(all.begin(), all.end(), [](const Activity& one) { return one.is_kernel; });
  profile.first_kernel = first == all.end() ? 0 : first->start;
  profile.tick = tick_of(profile);
  if (profile.sm_count > 0) return;
  profile.sm_count = implied_sm_count(profile);
  profile.is_sm_count_inferred = profile.sm_count > 0;
}

}  // namespace echo::overlaps
