// Problem: a config has some ninety axes, and normalising asks for each whether it is idle; neighbouring
// points of a space differ in one or two. Idea: an axis can only differ between points of a sub-space if a
// dimension lists it or a step writes it after one is fixed, and normalising can only change one that varies
// or has not its plain value. The other axes are read once.
#include "sweep/space/point_configs.hpp"

#include "base/at.hpp"

namespace echo::sweep {

namespace {

AxisSet listed_axes_of(const Program& program) {
  AxisSet found;
  for (const auto& columns : program.dimensions)
    for (const ResolvedColumn& column : columns) found.set(at(column.axis));
  return found;
}

// The axes that are written once the first dimension is fixed, or later.
AxisSet varying_axes_of(const Program& program) {
  AxisSet found = listed_axes_of(program);
  for (std::size_t level = 1; level < program.steps.size(); ++level)
    for (const Step& step : program.steps[level]) {
      if (step.writes >= 0 && step.writes < axis_count) found.set(at(step.writes));
      if (step.writes == sequences_slot) found.set(at(Axis::global_batch));
    }
  return found;
}

}  // namespace

PointConfigs::PointConfigs(const RawSpace& space) : space_(&space), groups_(space.groups()) {
  for (std::size_t group = 0; group < groups_.size(); ++group)
    listed_ |= listed_axes_of(space.program(group));
}

void PointConfigs::read_first(Group& group, std::size_t number, const PointState& state) const {
  group.config = config_of(state, space_->catalog());
  const AxisSet varying = varying_axes_of(space_->program(number));
  for (const AxisInfo& info : axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.set == nullptr) continue;
    const bool varies = varying.test(at(info.axis));
    if (varies)
      group.varying.push_back({.axis = info.axis,
                               .slot = info.axis == Axis::global_batch ? sequences_slot : slot_of(info.axis),
                               .by_index = is_text(info.kind),
                               .last = member.get(group.config),
                               .set = member.set});
    if (may_be_irrelevant(info) &&
        (varies || listed_.test(at(info.axis)) || !is_plain(info.axis, group.config)))
      group.loose.push_back(info.axis);
  }
  group.is_read = true;
}

bool PointConfigs::update(Group& group, const PointState& state) const {
  bool changed = false;
  for (Varying& one : group.varying) {
    const std::int32_t value = one.by_index ? state.preset[at(one.axis)]
                                            : static_cast<std::int32_t>(state.slot[at(one.slot)].number);
    if (value == one.last) continue;
    one.set(group.config, value);
    one.last = value;
    changed = true;
  }
  return changed;
}

void PointConfigs::normalise(const Group& group) {
  const simulate::Catalog& catalog = space_->catalog();
  config_ = group.config;
  irrelevant_.reset();
  const training::Conditions holding = conditions_of(group.config, catalog);
  const bool traced = !catalog.model(group.config.model).trace.is_none();
  for (const Axis axis : group.loose) {
    if (!is_irrelevant(info_of(axis), group.config, holding, traced)) continue;
    irrelevant_.set(at(axis));
    make_plain(axis, config_);
  }
  if (config_.gpu == catalog.cluster(config_.cluster).gpu) config_.gpu = machine::GpuId();
}

void PointConfigs::go_to(std::size_t number, const PointState& state) {
  Group& group = groups_[number];
  bool changed = number != group_;
  if (group.is_read) {
    changed = update(group, state) || changed;
  } else {
    read_first(group, number, state);
  }
  group_ = number;
  if (changed) normalise(group);
}

}  // namespace echo::sweep
