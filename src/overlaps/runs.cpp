#include "overlaps/runs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/at.hpp"

namespace echo::overlaps {

namespace {

struct Times {
  std::int64_t first = 0, last = 0;
};
Times times_of(const Profile& profile) {
  Times out{INT64_MAX, INT64_MIN};
  for (const Activity& one : profile.activities) {
    out.first = std::min(out.first, one.start + profile.epoch);
    out.last = std::max(out.last, one.end() + profile.epoch);
  }
  return out;
}

struct Run {
  std::int32_t world = -1;
  std::set<std::int32_t> ranks;
  Times times;
};

bool is_joint(const std::string& kind) {
  constexpr std::array<std::string_view, 3> kinds{"all_reduce", "all_gather", "reduce_scatter"};
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

using Kind = std::tuple<std::string, std::string, std::int64_t>;  // kind, type, bytes

struct End {
  std::int64_t end = 0, start = 0, duration = 0;
  bool operator<(const End& other) const { return end < other.end; }
};

std::map<Kind, std::vector<End>> ends_of(const Profile& profile) {
  std::map<Kind, std::vector<End>> out;
  for (const Activity& one : profile.activities) {
    if (one.collective < 0) continue;
    const Collective& made = profile.collectives[at(one.collective)];
    if (is_joint(made.kind))
      out[{made.kind, made.type, made.bytes}].push_back(
          {one.end() + profile.epoch, one.start + profile.epoch, one.duration});
  }
  for (auto& [kind, ends] : out) std::stable_sort(ends.begin(), ends.end());
  return out;
}

// The one that ends nearest, if it runs at the same time at all; null otherwise.
const End* counterpart(const std::vector<End>& ends, const End& mine) {
  const auto next = std::lower_bound(ends.begin(), ends.end(), mine);
  const End* best = next == ends.end() ? nullptr : &*next;
  if (next != ends.begin()) {
    const End* before = &*std::prev(next);
    if (best == nullptr || mine.end - before->end <= best->end - mine.end) best = before;
  }
  const bool meets = best != nullptr && best->start < mine.end && mine.start < best->end;
  return meets ? best : nullptr;
}

}  // namespace

std::vector<std::int32_t> runs_of(const std::vector<Profile>& profiles) {
  std::vector<Times> times;
  for (const Profile& profile : profiles) times.push_back(times_of(profile));
  std::vector<std::size_t> order(profiles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a].first < times[b].first; });
  std::vector<Run> runs;
  std::vector<std::int32_t> out(profiles.size(), -1);
  for (const std::size_t i : order) {
    const Profile& profile = profiles[i];
    const auto fits = [&](const Run& run) {
      return profile.rank >= 0 && profile.world > 1 && run.world == profile.world &&
             !run.ranks.contains(profile.rank) && times[i].first <= run.times.last;
    };
    const auto found = std::find_if(runs.begin(), runs.end(), fits);
    out[i] = static_cast<std::int32_t>(found - runs.begin());
    if (found == runs.end()) {
      runs.push_back({profile.world, {profile.rank}, times[i]});
    } else {
      found->ranks.insert(profile.rank);
      found->times.last = std::max(found->times.last, times[i].last);
    }
  }
  return out;
}

std::vector<std::vector<std::int64_t>> shortest_over_ranks(const std::vector<Profile>& profiles,
                                                           const std::vector<std::int32_t>& runs) {
  std::vector<std::map<Kind, std::vector<End>>> ends;
  std::map<std::int32_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    ends.push_back(ends_of(profiles[i]));
    members[runs[i]].push_back(i);
  }
  std::vector<std::vector<std::int64_t>> out;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const Profile& profile = profiles[i];
    std::vector<std::int64_t> shortest(profile.activities.size(), -1);
    for (std::size_t a = 0; a < profile.activities.size(); ++a) {
      const Activity& one = profile.activities[a];
      if (one.collective < 0) continue;
      const Collective& made = profile.collectives[at(one.collective)];
      const End mine{one.end() + profile.epoch, one.start + profile.epoch, one.duration};
      for (const std::size_t other : members[runs[i]]) {
        if (other == i) continue;
        const auto found = ends[other].find({made.kind, made.type, made.bytes});
        const End* end = found == ends[other].end() ? nullptr : counterpart(found->second, mine);
        if (end == nullptr) continue;
        if (shortest[a] < 0) shortest[a] = one.duration;
        shortest[a] = std::min(shortest[a], end->duration);
      }
    }
    out.push_back(std::move(shortest));
  }
  return out;
}

}  // namespace echo::overlaps
