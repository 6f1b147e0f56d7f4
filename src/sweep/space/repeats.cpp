// Repeats without a table. Problem: two combinations may be one config - the schedule does not matter at one
// stage, an axis may list a value twice, two sub-spaces may overlap - and a point is simulated once. A set
// of the configs seen so far is as large as the space and is not shared by workers. Idea: every axis that a
// file gives can be read back from the config, unless it cannot matter there (irrelevant_axes). So a twin of
// a combination has the same value on every axis that matters, and on the others any value of the same
// dimension: those few digits are tried, in order, rules included, until an earlier survivor with the same
// normalised config is found. Normalising uses the same set of axes, so the two cannot diverge. Cost:
// nothing for a sub-space whose axes always matter; else the product of the sizes of the axes that do not
// matter at this point, most of it avoided by the first twin found.
#include "sweep/space/repeats.hpp"

#include <algorithm>

namespace echo::sweep {

namespace {

// Identifies values of an axis across sub-spaces: texts are numbered per program, presets are not.
std::int64_t value_of(Axis axis, const ResolvedValue& value) {
  return is_text(info_of(axis).kind) ? value.preset : value.value.number;
}
std::int64_t value_of(Axis axis, const PointState& state) {
  return is_text(info_of(axis).kind) ? state.preset[at(axis)] : state.slot[at(axis)].number;
}

}  // namespace

RepeatTest::RepeatTest(const RawSpace& space)
    : space_(&space), groups_(space.groups()), own_(space), tried_(space) {
  const AxisSet loose = axes_that_may_not_matter();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Program& program = space.program(g);
    Group& group = groups_[g];
    group.state = std::make_unique<PointState>(program);
    group.alive = run_level(program, space.catalog(), 0, *group.state);
    group.candidates.resize(program.dimensions.size());
    group.digits.assign(program.dimensions.size(), 0);
    for (const auto& columns : program.dimensions) {
      Dimension dimension;
      std::vector<std::vector<std::int64_t>> tuples;
      for (std::size_t digit = 0; digit < columns.front().values.size(); ++digit) {
        std::vector<std::int64_t> tuple;
        for (const ResolvedColumn& column : columns) {
          tuple.push_back(value_of(column.axis, column.values[digit]));
          if (loose.test(at(column.axis))) group.loose.set(at(column.axis));
        }
        dimension.by_value.emplace_back(tuple.front(), static_cast<std::int64_t>(digit));
        tuples.push_back(std::move(tuple));
      }
      std::sort(dimension.by_value.begin(), dimension.by_value.end());
      std::sort(tuples.begin(), tuples.end());
      dimension.lists_twice = std::adjacent_find(tuples.begin(), tuples.end()) != tuples.end();
      group.lists_twice = group.lists_twice || dimension.lists_twice;
      group.dimensions.push_back(std::move(dimension));
    }
  }
}

// The digits with the values of `like` on every axis that matters; false where there are none.
bool RepeatTest::find_candidates(std::size_t g, std::size_t d, const PointState& like,
                                 const AxisSet& irrelevant) {
  Group& group = groups_[g];
  const auto& by_value = group.dimensions[d].by_value;
  const auto& columns = space_->program(g).dimensions[d];
  std::vector<std::int64_t>& out = group.candidates[d];
  out.clear();
  auto begin = by_value.begin(), end = by_value.end();
  if (!irrelevant.test(at(columns.front().axis))) {
    const std::int64_t value = value_of(columns.front().axis, like);
    begin = std::lower_bound(begin, end, std::pair{value, INT64_MIN});
    end = std::upper_bound(begin, end, std::pair{value, INT64_MAX});
  }
  for (auto entry = begin; entry != end; ++entry) {
    const auto digit = static_cast<std::size_t>(entry->second);
    const bool fits = std::all_of(columns.begin(), columns.end(), [&](const ResolvedColumn& column) {
      return irrelevant.test(at(column.axis)) ||
             value_of(column.axis, column.values[digit]) == value_of(column.axis, like);
    });
    if (fits) out.push_back(entry->second);
  }
  std::sort(out.begin(), out.end());
  return !out.empty();
}

const training::TrainingConfig& RepeatTest::config_of(const RawCursor& at) {
  own_.go_to(at.group(), at.state());
  return own_.config();
}

// The digits that a twin in the same sub-space may have; false where none of them is before the own one. Only
// digits before the own one make an earlier combination while all digits before them are equal.
bool RepeatTest::find_own_candidates(const RawCursor& at, const AxisSet& irrelevant) {
  Group& group = groups_[at.group()];
  if (!group.lists_twice && (group.loose & irrelevant).none()) return false;
  bool any_earlier = false;
  first_ = group.dimensions.size();
  for (std::size_t d = 0; d < group.dimensions.size(); ++d) {
    const Dimension& dimension = group.dimensions[d];
    const auto& columns = space_->program(at.group()).dimensions[d];
    const bool differs =
        dimension.lists_twice || std::ranges::any_of(columns, [&](const ResolvedColumn& column) {
          return irrelevant.test(echo::at(column.axis));
        });
    if (!differs) {
      group.candidates[d].assign(1, at.digits()[d]);
      continue;
    }
    (void)find_candidates(at.group(), d, at.state(), irrelevant);
    if (first_ == group.dimensions.size() && group.candidates[d].size() > 1) first_ = d;
    any_earlier = any_earlier || group.candidates[d].front() < at.digits()[d];
  }
  return any_earlier;
}

std::optional<std::int64_t> RepeatTest::first_twin(const RawCursor& at) {
  const std::size_t own = at.group();
  const bool may_differ = groups_[own].may_differ();
  if (own == 0 && !may_differ) return std::nullopt;
  own_.go_to(own, at.state());
  for (std::size_t g = 0; g < own; ++g) {
    bool possible = groups_[g].alive;
    for (std::size_t d = 0; possible && d < groups_[g].dimensions.size(); ++d)
      possible = find_candidates(g, d, at.state(), own_.irrelevant());
    if (possible && search(g, 0, at, true)) return space_->raw_of(g, groups_[g].digits);
  }
  if (!may_differ || !find_own_candidates(at, own_.irrelevant())) return std::nullopt;
  *groups_[own].state = at.state();
  groups_[own].digits = at.digits();
  if (!search(own, first_, at, false)) return std::nullopt;
  return space_->raw_of(own, groups_[own].digits);
}

// Tries the candidates of `depth` and below; `earlier`: the digits already fixed make an earlier
// combination.
bool RepeatTest::search(std::size_t g, std::size_t depth, const RawCursor& at, bool earlier) {
  Group& group = groups_[g];
  const Program& program = space_->program(g);
  if (depth == group.dimensions.size()) {
    if (!earlier) return false;
    tried_.go_to(g, *group.state);
    return tried_.config() == own_.config();
  }
  for (const std::int64_t digit : group.candidates[depth]) {
    const bool smaller = earlier || digit < at.digits()[depth];
    if (!smaller && digit > at.digits()[depth]) break;
    assign(program, depth, digit, *group.state);
    group.digits[depth] = digit;
    if (run_level(program, space_->catalog(), depth + 1, *group.state) && search(g, depth + 1, at, smaller))
      return true;
  }
  return false;
}

}  // namespace echo::sweep
