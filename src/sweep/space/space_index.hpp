// Positions of the points of a space among its raw combinations, for every k-th point. A share of the raw
// space can be indexed separately and joined with the others later.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sweep/run/row.hpp"
#include "sweep/space/raw_space.hpp"

namespace echo::sweep {

// Points that follow each other: the raw index of the first and of every `stride`-th after it.
struct IndexSegment {
  PointIndex first = 0, count = 0;
  std::int64_t stride = 1;
  std::vector<std::int64_t> raws;  // [ceil(count / stride)], ascending
  friend bool operator==(const IndexSegment&, const IndexSegment&) = default;
};

struct SpaceIndex {
  std::int64_t duplicates = 0;         // survivors that repeat an earlier one; they are no points
  std::vector<IndexSegment> segments;  // ascending; none is empty
  [[nodiscard]] PointIndex size() const {
    return segments.empty() ? 0 : segments.back().first + segments.back().count;
  }
  friend bool operator==(const SpaceIndex&, const SpaceIndex&) = default;
};

// Raw indices kept at most, 8 bytes each. With no more points than that every one is kept (k = 1).
inline constexpr std::int64_t max_index_entries = std::int64_t{1} << 18;

// The points among the raw combinations of share `part` of `parts`, numbered from 0. Shares are equally long
// stretches of the raw space, but not equally full: deal many small ones to each worker.
// Contract: 0 <= part < parts.
[[nodiscard]] SpaceIndex index_part(const RawSpace& space, std::int64_t part, std::int64_t parts,
                                    std::int64_t max_entries = max_index_entries);

// All parts, in order, as one. Which points there are and how they are numbered does not depend on how many
// parts they came in.
[[nodiscard]] SpaceIndex join_parts(std::span<const SpaceIndex> parts,
                                    std::int64_t max_entries = max_index_entries);

// The index of an explicit list. Contract: `raws` ascends.
[[nodiscard]] SpaceIndex index_of_list(std::vector<std::int64_t> raws);

}  // namespace echo::sweep
