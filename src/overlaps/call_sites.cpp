#include "overlaps/call_sites.hpp"

#include <cstddef>
#include <map>
#include <string>

#include "base/at.hpp"

namespace echo::overlaps {

namespace {

using Key = std::vector<std::int64_t>;

// Numbers keys in the order in which they come.
class Numbers {
 public:
  std::int32_t operator()(const Key& key) {
    return numbers_.try_emplace(key, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<Key, std::int32_t> numbers_;
};

}  // namespace

CallSites call_sites(const Profile& profile) {
  const std::vector<Activity>& all = profile.activities;
  Numbers launches, works, sites, wides, kinds;
  Texts types;
  std::vector<std::int32_t> launched(all.size(), -1);
  std::map<std::int64_t, std::vector<std::size_t>> streams;
  CallSites out{launched, launched, launched, launched};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Activity& one = all[i];
    if (!one.is_kernel) continue;
    const Launch& launch = profile.launches[at(one.launch)];
    Key key{one.name};
    key.insert(key.end(), launch.grid.begin(), launch.grid.end());
    key.insert(key.end(), launch.block.begin(), launch.block.end());
    launched[i] = launches(key);
    out.work[i] = works({launched[i], one.op, one.shape, one.types});
    if (one.collective >= 0) {
      const Collective& made = profile.collectives[at(one.collective)];
      out.kind[i] = kinds({launched[i], made.bytes, types.add(made.type)});
    }
    streams[one.stream].push_back(i);
  }
  for (const auto& one : streams) {
    const auto& order = one.second;
    const auto near = [&](std::size_t place, std::ptrdiff_t away) -> std::int64_t {
      const std::ptrdiff_t there = static_cast<std::ptrdiff_t>(place) + away;
      return there < 0 || there >= std::ssize(order) ? -1 : launched[order[static_cast<std::size_t>(there)]];
    };
    for (std::size_t place = 0; place < order.size(); ++place) {
      const std::size_t i = order[place];
      out.site[i] = sites({out.work[i], near(place, -1), near(place, 1)});
      out.wide[i] = wides({out.work[i], near(place, -2), near(place, -1), near(place, 1), near(place, 2)});
    }
  }
  return out;
}

}  // namespace echo::overlaps
