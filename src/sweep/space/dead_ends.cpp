#include "sweep/space/dead_ends.hpp"

#include <algorithm>

namespace echo::sweep {

namespace {

constexpr std::size_t max_dead_ends = std::size_t{1} << 16;  // about 10 MB; beyond, nothing more is learnt
constexpr std::int64_t worth_it = 16;  // combinations below a node that pay for a look-up

}  // namespace

// The same values occur again under other choices: some earlier choice is not part of the values carried on.
static bool can_repeat(const Program& program, const Relevance& relevance, std::size_t depth) {
  const std::vector<std::int32_t>& carried = relevance.carry[depth];
  for (std::size_t d = 0; d < depth; ++d) {
    const auto& columns = program.dimensions[d];
    const bool forgotten = std::none_of(columns.begin(), columns.end(), [&](const ResolvedColumn& column) {
      return std::find(carried.begin(), carried.end(), slot_of(column.axis)) != carried.end();
    });
    if (forgotten && program.size_of(d) > 1) return true;
  }
  return false;
}

DeadEnds::DeadEnds(const Program& program) {
  const std::size_t depths = program.dimensions.size() + 1;
  watched_.assign(depths, false);
  may_be_dead_.assign(depths, false);
  dead_.resize(depths);
  std::size_t large = 0;  // depths up to this one have enough combinations below them
  std::int64_t below = 1;
  for (std::size_t depth = depths - 1; depth > 0 && large == 0; --depth) {
    if (depth < depths - 1) below *= program.size_of(depth);
    if (below >= worth_it) large = depth;
  }
  if (large == 0) return;
  relevance_ = relevance_of(program, static_cast<std::int32_t>(program.rules.size()));
  for (std::size_t depth = 1; depth <= large; ++depth)
    watched_[depth] = relevance_.last_test > depth && can_repeat(program, relevance_, depth);
}

void DeadEnds::restart() { std::fill(may_be_dead_.begin(), may_be_dead_.end(), false); }

void DeadEnds::jump(std::size_t depth) {
  std::fill(may_be_dead_.begin(), may_be_dead_.begin() + static_cast<std::ptrdiff_t>(depth + 1), false);
}

bool DeadEnds::enter(std::size_t depth, const PointState& state, bool whole) {
  may_be_dead_[depth] = whole && watched_[depth];
  if (dead_[depth].empty()) return true;
  key_.clear();
  append_carried(relevance_, depth, state, key_);
  if (!dead_[depth].contains(key_)) return true;
  may_be_dead_[depth] = false;
  return false;
}

void DeadEnds::leave(std::size_t depth, const PointState& state) {
  if (!may_be_dead_[depth] || known_ >= max_dead_ends) return;
  may_be_dead_[depth] = false;
  key_.clear();
  append_carried(relevance_, depth, state, key_);
  if (dead_[depth].insert(key_).second) ++known_;
}

void DeadEnds::found_one() { std::fill(may_be_dead_.begin(), may_be_dead_.end(), false); }

}  // namespace echo::sweep
