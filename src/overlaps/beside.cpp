#include "overlaps/beside.hpp"

#include <algorithm>
#include <cstddef>

#include "base/at.hpp"
#include "base/error.hpp"

namespace echo::overlaps {

namespace {

// Kernels of one stream run one after the other, so that a million of them take some millions of looks.
constexpr std::int64_t most_looks = 300'000'000;

}  // namespace

Communication::Communication(const Profile& profile) : profile_(profile) {
  for (std::int32_t i = 0; i < length_of(profile.activities); ++i) {
    const Activity& one = profile.activities[at(i)];
    if (!one.communicates || one.duration <= 0) continue;
    Stream& stream = streams_[one.stream];
    const std::int64_t before = stream.latest.empty() ? one.end() : stream.latest.back();
    stream.activities.push_back(i);
    stream.latest.push_back(std::max(before, one.end()));
  }
}

Beside Communication::beside(std::int64_t begin, std::int64_t end) const {
  Beside out;
  std::int64_t longest = 0;
  for (const auto& [number, stream] : streams_) {
    const auto first = std::upper_bound(stream.latest.begin(), stream.latest.end(), begin);
    for (auto i = static_cast<std::size_t>(first - stream.latest.begin()); i < stream.activities.size();
         ++i) {
      const std::int32_t place = stream.activities[i];
      const Activity& one = profile_.activities[at(place)];
      if (one.start >= end) break;
      if (++looked_at_ > most_looks)
        throw UserError({Problem{{profile_.path},
                                 profile_.path + ": kernels of one stream overlap each other",
                                 "profile again; a stream runs one kernel after the other"}});
      const std::int64_t common = std::min(end, one.end()) - std::max(begin, one.start);
      if (common <= 0) continue;
      ++out.count;
      out.names.push_back(one.name);
      const bool is_earlier = common == longest && one.start < profile_.activities[at(out.longest)].start;
      if (common > longest || is_earlier) longest = common, out.longest = place;
    }
  }
  const auto text = [&](std::int32_t name) -> const std::string& { return profile_.texts[name]; };
  std::sort(out.names.begin(), out.names.end(),
            [&](std::int32_t a, std::int32_t b) { return text(a) < text(b); });
  out.names.erase(std::unique(out.names.begin(), out.names.end()), out.names.end());
  return out;
}

}  // namespace echo::overlaps
