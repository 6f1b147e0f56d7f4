// One walk over a share of the raw space, keeping a raw index at intervals. When more than `max_entries`
// have been kept, every second one is dropped and the interval doubles: memory stays bounded for any number
// of points, and a point is found by a walk of at most `stride` survivors.
#include "sweep/space/space_index.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "sweep/space/raw_cursor.hpp"
#include "sweep/space/repeats.hpp"

namespace echo::sweep {

static void halve(IndexSegment& segment) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < segment.raws.size(); i += 2) segment.raws[kept++] = segment.raws[i];
  segment.raws.resize(kept);
  segment.stride *= 2;
}

SpaceIndex index_part(const RawSpace& space, std::int64_t part, std::int64_t parts,
                      std::int64_t max_entries) {
  ECHO_EXPECT(part >= 0 && part < parts);
  const auto border = [&](std::int64_t number) {  // 128 bits: raw * parts may pass 64
    return static_cast<std::int64_t>(static_cast<__int128>(space.size()) * number / parts);
  };
  SpaceIndex index;
  IndexSegment segment;
  RawCursor cursor(space);
  RepeatTest repeats(space);
  const std::int64_t end = border(part + 1);
  for (bool found = cursor.find(border(part), end); found; found = cursor.next(end)) {
    if (repeats.is_repeat(cursor)) {
      ++index.duplicates;
      continue;
    }
    if (segment.count % segment.stride == 0) segment.raws.push_back(cursor.raw());
    ++segment.count;
    if (static_cast<std::int64_t>(segment.raws.size()) > max_entries) halve(segment);
  }
  if (segment.count > 0) index.segments.push_back(std::move(segment));
  return index;
}

SpaceIndex join_parts(std::span<const SpaceIndex> parts, std::int64_t max_entries) {
  SpaceIndex whole;
  std::int64_t entries = 0;
  for (const SpaceIndex& part : parts) {
    whole.duplicates += part.duplicates;
    for (IndexSegment segment : part.segments) {
      segment.first = whole.size();
      entries += static_cast<std::int64_t>(segment.raws.size());
      whole.segments.push_back(std::move(segment));
    }
  }
  while (entries > std::max(max_entries, static_cast<std::int64_t>(whole.segments.size()))) {
    const auto finest = std::ranges::min(whole.segments, {}, &IndexSegment::stride).stride;
    entries = 0;
    for (IndexSegment& segment : whole.segments) {
      if (segment.stride == finest) halve(segment);
      entries += static_cast<std::int64_t>(segment.raws.size());
    }
  }
  return whole;
}

SpaceIndex index_of_list(std::vector<std::int64_t> raws) {
  SpaceIndex index;
  const auto count = static_cast<PointIndex>(raws.size());
  if (count > 0) index.segments.push_back({.first = 0, .count = count, .stride = 1, .raws = std::move(raws)});
  return index;
}

}  // namespace echo::sweep
