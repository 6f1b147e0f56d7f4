#include "search/ordered_space.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "simulate/admission/axes_read.hpp"
#include "sweep/space/subtree_counter.hpp"
#include "sweep/space/survivor_ranks.hpp"

namespace echo::search {

using bounds::Reach;
using sweep::Axis;
using sweep::AxisColumn;
using sweep::Dimension;
using sweep::Program;

namespace {

// Whether the axis, one beside the passes, may add ops to every pass.
bool is_in_passes(Axis axis) {
  return axis == Axis::recompute || axis == Axis::recompute_modules || axis == Axis::recompute_method ||
         axis == Axis::recompute_layers || axis == Axis::fp32_gradients;
}

// The rank of a dimension in the order in which the search fixes them.
int rank_of(const Dimension& dimension, const std::vector<Axis>& per) {
  int rank = 5;
  for (const AxisColumn& column : dimension.columns) {
    const bool is_slice = std::ranges::find(per, column.axis) != per.end();
    const Reach reach = bounds::reach_of(column.axis);
    const int own = is_slice                                              ? 0
                    : reach == Reach::all                                 ? 1
                    : reach == Reach::around                              ? 2
                    : is_in_passes(column.axis)                           ? 3
                    : simulate::axes_of_admission().contains(column.axis) ? 4
                                                                          : 5;
    rank = std::min(rank, own);
  }
  return rank;
}

std::vector<std::size_t> order_of(const std::vector<Dimension>& dimensions, const std::vector<Axis>& per) {
  std::vector<std::size_t> order(dimensions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t d) { return rank_of(dimensions[d], per); });
  return order;
}

const std::vector<Dimension>& dimensions_of(const sweep::SweepSpec& spec, std::size_t group) {
  return spec.groups.empty() ? spec.dimensions : spec.groups[group].dimensions;
}
std::size_t groups_of(const sweep::SweepSpec& spec) { return std::max<std::size_t>(1, spec.groups.size()); }

sweep::SweepSpec ordered_spec(sweep::SweepSpec spec, const std::vector<Axis>& per) {
  const auto reorder = [&](std::vector<Dimension>& dimensions) {
    std::vector<Dimension> out;
    for (const std::size_t d : order_of(dimensions, per)) out.push_back(std::move(dimensions[d]));
    dimensions = std::move(out);
  };
  reorder(spec.dimensions);
  for (sweep::SubSpace& group : spec.groups) reorder(group.dimensions);
  return spec;
}

std::vector<Axis> axes_named(const std::vector<std::string>& names) {
  std::vector<Axis> axes;
  for (const std::string& name : names)
    if (const auto axis = training::find_axis(name)) axes.push_back(*axis);
  return axes;
}

// The axes that are written once the first `depth` dimensions are fixed, and the values that are listed.
bounds::OpenAxes open_axes_of(const Program& program, std::size_t depth) {
  bounds::OpenAxes open;
  sweep::AxisSet derived;
  for (std::size_t d = depth; d < program.dimensions.size(); ++d)
    for (const sweep::ResolvedColumn& column : program.dimensions[d]) {
      open.axes.set(at(column.axis));
      for (const sweep::ResolvedValue& value : column.values)
        open.values[at(column.axis)].push_back(sweep::is_text(sweep::info_of(column.axis).kind)
                                                   ? value.preset
                                                   : static_cast<std::int32_t>(value.value.number));
    }
  for (std::size_t level = depth + 1; level < program.steps.size(); ++level)
    for (const sweep::Step& step : program.steps[level]) {
      if (step.writes >= 0 && step.writes < sweep::axis_count) derived.set(at(step.writes));
      if (step.writes == sweep::sequences_slot) derived.set(at(Axis::global_batch));
    }
  for (const sweep::AxisInfo& info : sweep::axis_table)
    if (derived.test(at(info.axis))) open.axes.set(at(info.axis)), open.values[at(info.axis)].clear();
  return open;
}

std::vector<std::size_t> tiers_of(const std::vector<Dimension>& ordered, const std::vector<Axis>& per) {
  std::vector<std::size_t> tiers;
  for (std::size_t d = 1; d < ordered.size(); ++d) {
    const int before = rank_of(ordered[d - 1], per), here = rank_of(ordered[d], per);
    if (before != here && here >= 2) tiers.push_back(d);
  }
  tiers.push_back(ordered.size());
  return tiers;
}

}  // namespace

OrderedSpace::OrderedSpace(const sweep::SweepSpec& spec, const simulate::Catalog& catalog)
    : per_(axes_named(spec.search.per)), filed_(spec, catalog), ordered_(ordered_spec(spec, per_), catalog) {
  const sweep::SweepSpec in_order = ordered_spec(spec, per_);
  for (std::size_t g = 0; g < groups_of(spec); ++g) {
    Group& group = groups_.emplace_back();
    group.filed_dimension = order_of(dimensions_of(spec, g), per_);
    group.tiers = tiers_of(dimensions_of(in_order, g), per_);
    for (const std::size_t depth : group.tiers)
      group.open.push_back(open_axes_of(ordered_.program(g), depth));
  }
}

std::int64_t OrderedSpace::filed_of(std::size_t group, std::int64_t raw) const {
  std::vector<std::int64_t> digits, filed;
  ordered_.digits_of(raw, digits);
  filed.resize(digits.size());
  for (std::size_t d = 0; d < digits.size(); ++d) filed[groups_[group].filed_dimension[d]] = digits[d];
  return filed_.raw_of(group, filed);
}

struct KeptCount::Group {
  explicit Group(const sweep::Program& given, const simulate::Catalog& catalog)
      : program(sweep::with_one_rule(given)), counter(program, catalog), state(program) {
    cutoff = counter.run(0, passed, state);
  }
  static constexpr std::int32_t passed = 1;
  sweep::Program program;  // all rules counted as one
  sweep::SubtreeCounter counter;
  sweep::PointState state;
  std::int32_t cutoff = 0;
};

KeptCount::KeptCount(const sweep::RawSpace& space) : space_(space) {
  for (std::size_t g = 0; g < space.groups(); ++g)
    groups_.push_back(std::make_shared<Group>(space.program(g), space.catalog()));
}

std::int64_t KeptCount::whole() {
  std::int64_t sum = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) sum += of({space_.first(g), space_.end(g)}, 0);
  return sum;
}

std::int64_t KeptCount::of(const Stretch& stretch, std::size_t depth) {
  const std::size_t g = space_.group_of(stretch.begin);
  Group& group = *groups_[g];
  const std::int64_t width = space_.below(g, depth);
  ECHO_EXPECT((stretch.begin - space_.first(g)) % width == 0 && (stretch.end - space_.first(g)) % width == 0);
  std::int64_t sum = 0;
  std::vector<std::int64_t> digits;
  for (std::int64_t begin = stretch.begin; begin < stretch.end; begin += width) {
    space_.digits_of(begin, digits);
    std::int32_t cutoff = group.cutoff;
    for (std::size_t d = 0; d < depth && cutoff == Group::passed; ++d) {
      assign(group.program, d, digits[d], group.state);
      cutoff = group.counter.run(d + 1, Group::passed, group.state);
    }
    if (cutoff != Group::passed) continue;
    std::array<std::int64_t, 2> counts{};
    std::int64_t unbounded = INT64_MAX;
    const bool counted = group.counter.add_below({depth, Group::passed}, 1, group.state, counts, unbounded);
    ECHO_ENSURE(counted);
    sum += counts[Group::passed];
  }
  return sum;
}

}  // namespace echo::search
