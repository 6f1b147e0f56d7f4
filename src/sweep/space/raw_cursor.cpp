#include "sweep/space/raw_cursor.hpp"

#include <algorithm>

namespace echo::sweep {

RawCursor::RawCursor(const RawSpace& space) : space_(&space), dead_ends_(space.groups()) {}

void RawCursor::enter(std::size_t group) {
  const Program& program = space_->program(group);
  group_ = group;
  if (!dead_ends_[group]) dead_ends_[group] = std::make_unique<DeadEnds>(program);
  dead_ends_[group]->restart();
  state_ = std::make_unique<PointState>(program);
  digits_.assign(program.dimensions.size(), 0);
  depth_ = 0;
  empty_ = !run_level(program, space_->catalog(), 0, *state_);
}

bool RawCursor::find(std::int64_t raw, std::int64_t end) {
  end = std::min(end, space_->size());
  if (raw >= end) return false;
  const bool stays = group_ < space_->groups() && raw >= space_->first(group_) && raw < space_->end(group_);
  const std::size_t group = stays ? group_ : space_->group_of(raw);
  if (stays && is_found_ && raw >= raw_) {
    scratch_ = digits_;
    space_->add_to_digits(group, raw - raw_, scratch_);
  } else {
    if (!stays) enter(group);
    space_->digits_of(raw, scratch_);
  }
  std::size_t same = 0;
  while (same < depth_ && scratch_[same] == digits_[same]) ++same;
  depth_ = same;
  digits_ = scratch_;
  raw_ = raw;
  dead_ends_[group_]->jump(depth_);
  return settle(end);
}

bool RawCursor::next(std::int64_t end) {
  end = std::min(end, space_->size());
  dead_ends_[group_]->found_one();
  if (step_over()) return settle(end);
  return find(raw_, end);
}

// Moves from the subtree of the first depth_ digits to the one after it; false at the end of the group.
bool RawCursor::step_over() {
  const std::int64_t stride = space_->below(group_, depth_), from_first = raw_ - space_->first(group_);
  raw_ += stride - from_first % stride;
  std::fill(digits_.begin() + static_cast<std::ptrdiff_t>(depth_), digits_.end(), 0);
  while (depth_ > 0) {
    --depth_;
    if (++digits_[depth_] < space_->program(group_).size_of(depth_)) return true;
    digits_[depth_] = 0;
    dead_ends_[group_]->leave(depth_, *state_);
  }
  return false;
}

// Moves from the current digits to the first combination at or after them that no rule removes.
bool RawCursor::settle(std::int64_t end) {
  is_found_ = false;
  while (raw_ < end) {
    const Program& program = space_->program(group_);
    DeadEnds& dead_ends = *dead_ends_[group_];
    bool blocked = empty_;
    while (!blocked && depth_ < digits_.size()) {
      ++nodes_;
      assign(program, depth_, digits_[depth_], *state_);
      blocked = !run_level(program, space_->catalog(), depth_ + 1, *state_);
      ++depth_;
      if (blocked) break;
      const bool whole = (raw_ - space_->first(group_)) % space_->below(group_, depth_) == 0;
      blocked = !dead_ends.enter(depth_, *state_, whole);
    }
    if (!blocked) return is_found_ = true;
    if (empty_ || !step_over()) {
      raw_ = space_->end(group_);
      if (raw_ >= end) return false;
      enter(space_->group_of(raw_));
    }
  }
  return false;
}

}  // namespace echo::sweep
