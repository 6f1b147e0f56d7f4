#include "sweep/choice/value_text.hpp"

#include <fmt/ranges.h>

#include "base/at.hpp"
#include "sweep/language/vocabulary.hpp"

namespace echo::sweep {

namespace {

// The place of the axis's value in vocabulary_of().
std::int32_t place_in(const training::TrainingConfig& config, Axis axis, const simulate::Catalog& catalog) {
  const std::int32_t held = training::member_of(axis).get(config);
  if (axis == Axis::recipe) return held + 1;  // "none" comes first
  return axis == Axis::gpu && held < 0 ? catalog.cluster(config.cluster).gpu.index() : held;
}

}  // namespace

AxisValue value_in(const training::TrainingConfig& config, Axis axis, const simulate::Catalog& catalog,
                   bool batch_in_tokens) {
  if (axis == Axis::gpus) return {training::gpus_of(config.degrees), ""};
  const training::AxisMember& member = training::member_of(axis);
  if (axis == Axis::global_batch) {
    const std::int64_t samples = config.batch.global_samples;
    return {batch_in_tokens ? samples * config.batch.sequence_tokens : samples, ""};
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
      return {version, training::version_text(version)};
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

std::string value_text(Axis axis, const ResolvedValue& value, const Program& program,
                       const simulate::Catalog& catalog) {
  const AxisKind kind = info_of(axis).kind;
  if (is_text(kind)) return program.texts[at(value.value.number)];
  return value_text(axis, {kind == AxisKind::layer_list ? value.preset : value.value.number, ""}, catalog);
}

}  // namespace echo::sweep
