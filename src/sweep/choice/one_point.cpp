#include "sweep/choice/one_point.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/vocabulary.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::sweep {

namespace {

// What a config holds for the value; the inverse of value_in().
std::int32_t held_for(Axis axis, const AxisValue& value, const simulate::Catalog& catalog) {
  const AxisKind kind = info_of(axis).kind;
  if (kind != AxisKind::preset && kind != AxisKind::word) return static_cast<std::int32_t>(value.number);
  const auto names = vocabulary_of(axis, catalog);
  const auto place =
      static_cast<std::int32_t>(std::find(names.begin(), names.end(), value.text) - names.begin());
  return axis == Axis::recipe ? place - 1 : place;
}

}  // namespace

OnePoint pinned(const SweepSpec& spec, const training::TrainingConfig& config,
                const simulate::Catalog& catalog) {
  OnePoint point{spec, config};
  point.spec.groups.clear();
  point.spec.dimensions.clear();
  point.spec.search = {};
  AxisSet named = named_axes(spec);
  if (named.test(at(Axis::dp)) && !is_derived(spec, Axis::gpus)) {
    named.reset(at(Axis::dp));
    named.set(at(Axis::gpus));
  }
  const AxisSet idle = irrelevant_axes(config, catalog);
  for (const AxisInfo& info : axis_table) {
    if (!named.test(at(info.axis))) continue;
    AxisValue value = value_in(config, info.axis, catalog, spec.batch_in_tokens);
    const auto listed = values_of(spec, info.axis);
    const bool is_listed = std::find(listed.begin(), listed.end(), value) != listed.end();
    if (idle.test(at(info.axis)) && !listed.empty() && !is_listed) value = listed.front();
    set_values(point.spec, info.axis, {std::move(value)});
  }
  return point;
}

void choose(OnePoint& point, Axis axis, const AxisValue& value, const simulate::Catalog& catalog) {
  if (axis == Axis::dp)
    std::erase_if(point.spec.dimensions,
                  [](const Dimension& one) { return one.columns.front().axis == Axis::gpus; });
  set_values(point.spec, axis, {value});
  training::Degrees& degrees = point.config.degrees;
  std::int64_t gpus = training::gpus_of(degrees);
  const bool dp_follows = std::ranges::none_of(
      point.spec.dimensions, [](const Dimension& one) { return one.columns.front().axis == Axis::dp; });
  if (axis == Axis::gpus) gpus = value.number;
  if (axis == Axis::global_batch && point.spec.batch_in_tokens) {
    point.config.batch.global_samples =
        static_cast<std::int32_t>(value.number / point.config.batch.sequence_tokens);
  } else if (const training::AxisMember& member = training::member_of(axis); member.set != nullptr) {
    member.set(point.config, held_for(axis, value, catalog));
  }
  if (!dp_follows) return;
  const std::int64_t others = std::int64_t{degrees.tensor} * degrees.pipeline * degrees.context;
  degrees.data = static_cast<std::int32_t>(std::max<std::int64_t>(1, gpus / others));
}

void set_values(SweepSpec& spec, Axis axis, std::vector<AxisValue> values) {
  const auto found = std::ranges::find_if(
      spec.dimensions, [axis](const Dimension& one) { return one.columns.front().axis == axis; });
  if (found != spec.dimensions.end())
    found->columns.front().values = std::move(values);
  else
    spec.dimensions.push_back({{{axis, std::move(values)}}});
}

}  // namespace echo::sweep
