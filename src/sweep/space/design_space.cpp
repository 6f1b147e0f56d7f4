#include "sweep/space/design_space.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/sampling.hpp"

namespace echo::sweep {

namespace {

// The segment that holds point `index`.
const IndexSegment& segment_of(const SpaceIndex& index, PointIndex point) {
  const auto after = std::ranges::upper_bound(index.segments, point, {}, &IndexSegment::first);
  return *(after - 1);
}

}  // namespace

SpaceIndex index_part(const SweepSpec& spec, const RawSpace& space, std::int64_t part, std::int64_t parts) {
  if (!draws_points(spec.search.strategy)) return index_part(space, part, parts);
  ECHO_EXPECT(part >= 0 && part < parts);
  return index_of_list(part == 0 ? sample_points(spec, space) : std::vector<std::int64_t>{});
}

DesignSpace::DesignSpace(const SweepSpec& spec, const simulate::Catalog& catalog)
    : raw_(spec, catalog),
      index_(index_part(spec, raw_, 0, 1)),
      terms_(spec.terms),
      work_budget_(spec.run.work_budget),
      skew_(spec.skew) {}

DesignSpace::DesignSpace(const SweepSpec& spec, const simulate::Catalog& catalog, SpaceIndex index)
    : raw_(spec, catalog),
      index_(std::move(index)),
      terms_(spec.terms),
      work_budget_(spec.run.work_budget),
      skew_(spec.skew) {}

training::TrainingConfig DesignSpace::at(PointIndex index) const {
  PointCursor cursor(*this);
  cursor.go_to(index);
  return cursor.config();
}

std::uint64_t DesignSpace::config_id(PointIndex index) const {
  return config_id_of(at(index), raw_.catalog());
}

std::int64_t DesignSpace::raw_index(PointIndex index) const {
  PointCursor cursor(*this);
  cursor.go_to(index);
  return cursor.raw();
}

PointIndex DesignSpace::find_raw(std::int64_t raw) const {
  const auto after = std::ranges::upper_bound(index_.segments, raw, {},
                                              [](const IndexSegment& s) { return s.raws.front(); });
  if (after == index_.segments.begin()) return -1;
  const IndexSegment& segment = *(after - 1);
  const auto block = std::ranges::upper_bound(segment.raws, raw) - segment.raws.begin() - 1;
  const PointIndex last = segment.first + segment.count;
  PointCursor cursor(*this);
  for (PointIndex point = segment.first + block * segment.stride; point < last; ++point) {
    cursor.go_to(point);
    if (cursor.raw() >= raw) return cursor.raw() == raw ? point : -1;
  }
  return -1;
}

PointCursor::PointCursor(const DesignSpace& space)
    : space_(&space), cursor_(space.raw_space()), repeats_(space.raw_space()) {}

const Program& PointCursor::program() const { return space_->raw_space().program(cursor_.group()); }

const training::TrainingConfig& PointCursor::config() { return repeats_.config_of(cursor_); }

void PointCursor::go_to(PointIndex index) {
  ECHO_EXPECT(index >= 0 && index < space_->size());
  if (index == index_) return;
  const IndexSegment& segment = segment_of(space_->index(), index);
  const PointIndex block = (index - segment.first) / segment.stride;
  const PointIndex block_start = segment.first + block * segment.stride;
  const std::int64_t end = space_->raw();
  if (index_ < block_start || index_ > index) {
    const bool found = cursor_.find(segment.raws[at(block)], end);
    ECHO_ENSURE(found);
    index_ = block_start;
  }
  while (index_ < index) {
    const bool found = cursor_.next(end);
    ECHO_ENSURE(found);
    if (!repeats_.is_repeat(cursor_)) ++index_;
  }
}

}  // namespace echo::sweep
