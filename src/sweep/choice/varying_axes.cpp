#include "sweep/choice/varying_axes.hpp"

#include <algorithm>
#include <array>

namespace echo::sweep {

namespace {

template <class Look>
void look_at_columns(const SweepSpec& spec, const Look& look) {
  const auto each = [&look](const std::vector<Dimension>& dimensions) {
    for (const Dimension& dimension : dimensions)
      for (const AxisColumn& column : dimension.columns) look(column);
  };
  if (spec.groups.empty()) each(spec.dimensions);
  for (const SubSpace& group : spec.groups) each(group.dimensions);
}

void add_new(const std::vector<AxisValue>& more, std::vector<AxisValue>& values) {
  for (const AxisValue& value : more)
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace

AxisSet named_axes(const SweepSpec& spec) {
  AxisSet named;
  look_at_columns(spec, [&](const AxisColumn& column) { named.set(at(column.axis)); });
  return named;
}

bool is_derived(const SweepSpec& spec, Axis axis) {
  return std::any_of(spec.rules.begin(), spec.rules.end(), [axis](const Rule& rule) {
    return rule.kind == RuleKind::derive && rule.name == info_of(axis).name;
  });
}

std::vector<AxisValue> values_of(const SweepSpec& spec, Axis axis) {
  std::vector<AxisValue> values;
  look_at_columns(spec, [&](const AxisColumn& column) {
    if (column.axis == axis) add_new(column.values, values);
  });
  return values;
}

VaryingAxes::VaryingAxes(const SweepSpec& spec) {
  std::array<std::vector<AxisValue>, axis_count> seen;
  std::array<std::size_t, axis_count> groups_with{};
  look_at_columns(spec, [&](const AxisColumn& column) {
    ++groups_with[at(column.axis)];
    add_new(column.values, seen[at(column.axis)]);
  });
  const std::size_t groups = std::max<std::size_t>(spec.groups.size(), 1);
  for (std::size_t axis = 0; axis < seen.size(); ++axis)
    found_[axis] = seen[axis].size() > 1 || (groups_with[axis] > 0 && groups_with[axis] < groups);
}

}  // namespace echo::sweep
