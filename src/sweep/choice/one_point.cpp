#include "sweep/choice/one_point.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/at.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/vocabulary.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::sweep {

namespace {

// The place of the axis's value in vocabulary_of().
std::int32_t place_in(const training::TrainingConfig& config, Axis axis, const simulate::Catalog& catalog) {
  const std::int32_t held = training::member_of(axis).get(config);
  if (axis == Axis::recipe) return held + 1;  // "none" comes first
  return axis == Axis::gpu && held < 0 ? catalog.cluster(config.cluster).gpu.index() : held;
}

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

AxisValue value_in(const training::TrainingConfig& config, Axis axis, const SweepSpec& spec,
                   const simulate::Catalog& catalog) {
  if (axis == Axis::gpus) return {training::gpus_of(config.degrees), ""};
  const training::AxisMember& member = training::member_of(axis);
  if (axis == Axis::global_batch) {
    const std::int64_t samples = config.batch.global_samples;
    return {spec.batch_in_tokens ? samples * config.batch.sequence_tokens : samples, ""};
  }
  const std::int32_t held = member.get(config);
  switch (info_of(axis).kind) {
    case AxisKind::preset:
    case AxisKind::word:
      return {0, vocabulary_of(axis, catalog)[at(place_in(config, axis, catalog))]};
    case AxisKind::words:
      return {held, training::text_of_bits(member.words, held)};
    case AxisKind::version: {
      const std::int32_t version = held != 0 ? held : catalog.cluster(config.cluster).nccl_version;
      return {version, std::to_string(version)};
    }
    default:
      return {held, ""};
  }
}

std::string value_text(Axis axis, const AxisValue& value, const simulate::Catalog& catalog) {
  switch (info_of(axis).kind) {
    case AxisKind::preset:
    case AxisKind::word:
    case AxisKind::words:
    case AxisKind::version:
      return value.text;
    case AxisKind::flag:
      return value.number != 0 ? "true" : "false";
    case AxisKind::ratio:
      return fmt::format("{}", static_cast<double>(value.number) / 1000.0);
    case AxisKind::layer_list:
      return value.number < 0 ? "even"
                              : fmt::format("{}", fmt::join(catalog.layer_tables[at(value.number)], "-"));
    default:
      return std::to_string(value.number);
  }
}

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
    AxisValue value = value_in(config, info.axis, spec, catalog);
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
