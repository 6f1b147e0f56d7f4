#include "explain/nearest/alternatives.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "config/sweep_file/axis_domain.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/vocabulary.hpp"

namespace echo::explain {

namespace {

using sweep::Axis;
using sweep::AxisKind;
using sweep::AxisValue;
using training::TrainingConfig;

constexpr std::int32_t few = 16;  // levels up to here are all tried

// What "auto" means for the axis of this config.
std::vector<AxisValue> automatic(const TrainingConfig& config, Axis axis, const simulate::Catalog& catalog) {
  std::vector<config::ReadDimension> space;
  for (const Axis fact : {Axis::model, Axis::cluster, Axis::gpus, Axis::seq_len, Axis::global_batch})
    space.push_back({.axes = {{.column = {fact, {sweep::value_in(config, fact, catalog)}}, .places = {{}}}}});
  space.push_back({.axes = {{.column = {axis, {}}, .automatic = true}}});
  Problems none;
  config::fill_automatic(space, catalog, none);
  return config::find_axis(space, axis)->column.values;
}

std::vector<AxisValue> powers_of_two(std::int64_t most, bool with_zero) {
  std::vector<AxisValue> values;
  if (with_zero) values.push_back({0, ""});
  for (std::int64_t value = 1; value <= most; value *= 2) values.push_back({value, ""});
  return values;
}

std::vector<AxisValue> words(Axis axis, const simulate::Catalog& catalog) {
  std::vector<AxisValue> values;
  for (const std::string& name : sweep::vocabulary_of(axis, catalog)) values.push_back({0, name});
  return values;
}

// One word more, or one less.
std::vector<AxisValue> toggled(const TrainingConfig& config, Axis axis) {
  const training::AxisMember& member = training::member_of(axis);
  std::vector<AxisValue> values;
  for (std::size_t bit = 0; bit < member.words.size(); ++bit) {
    const std::int32_t bits = member.get(config) ^ (1 << bit);
    values.push_back({bits, training::text_of_bits(member.words, bits)});
  }
  return values;
}

std::vector<AxisValue> levels(const TrainingConfig& config, Axis axis, const simulate::Catalog& catalog) {
  const std::int32_t highest = sweep::info_of(axis).highest;
  if (highest > few) {
    const bool counts_ranks = axis == Axis::zero_group || axis == Axis::cp_inner;
    const std::int32_t most =
        counts_ranks ? training::gpus_of(config.degrees) : catalog.model(config.model).layers;
    return powers_of_two(std::min(most, highest), true);
  }
  std::vector<AxisValue> values;
  for (std::int32_t level = 0; level <= highest; ++level) values.push_back({level, ""});
  return values;
}

std::vector<AxisValue> by_itself(const TrainingConfig& config, Axis axis, const simulate::Catalog& catalog) {
  const sweep::AxisInfo& info = sweep::info_of(axis);
  if (axis == Axis::gpus) {
    const std::int64_t gpus = training::gpus_of(config.degrees);
    std::vector<AxisValue> values{{2 * gpus, ""}, {4 * gpus, ""}};
    if (gpus % 2 == 0) values.push_back({gpus / 2, ""});
    return values;
  }
  if (axis == Axis::etp) return powers_of_two(config.degrees.tensor, false);
  if (info.has_auto) return automatic(config, axis, catalog);
  switch (info.kind) {
    case AxisKind::flag:
      return {{0, ""}, {1, ""}};
    case AxisKind::word:
      return words(axis, catalog);
    case AxisKind::words:
      return toggled(config, axis);
    case AxisKind::level:
      return info.of_layout ? levels(config, axis, catalog) : std::vector<AxisValue>();
    default:
      return {};
  }
}

}  // namespace

std::vector<AxisValue> alternatives(const TrainingConfig& config, Axis axis, const sweep::SweepSpec& spec,
                                    const simulate::Catalog& catalog) {
  std::vector<AxisValue> values = sweep::values_of(spec, axis);
  for (AxisValue& value : by_itself(config, axis, catalog))
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
  const AxisValue own = sweep::value_in(config, axis, catalog, spec.batch_in_tokens);
  const bool by_number = sweep::info_of(axis).kind == AxisKind::version;
  std::erase_if(
      values, [&](const AxisValue& value) { return by_number ? value.number == own.number : value == own; });
  return values;
}

sweep::AxisSet changeable_axes(const sweep::SweepSpec& spec, const sweep::AxisSet& more) {
  const sweep::VaryingAxes varying(spec);
  sweep::AxisSet axes = more;
  for (const sweep::AxisInfo& info : sweep::axis_table)
    if (info.of_layout || info.axis == Axis::gpus || varying.contains(info.axis)) axes.set(at(info.axis));
  if (!sweep::is_derived(spec, Axis::gpus))
    axes.reset(at(Axis::dp));  // it follows from the GPUs and the other degrees
  for (const sweep::AxisInfo& info : sweep::axis_table)
    if (sweep::is_derived(spec, info.axis)) axes.reset(at(info.axis));
  return axes;
}

}  // namespace echo::explain
