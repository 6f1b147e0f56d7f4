#include "config/catalog/recipe_reader.hpp"

#include <toml++/toml.h>

#include <cmath>

#include "training/axis.hpp"
#include "training/config.hpp"

namespace echo::config {
namespace {

using training::AxisInfo;
using training::AxisKind;

std::optional<std::int32_t> read_words(TableReader& file, const AxisInfo& axis, Presence presence) {
  std::string text;
  if (!file.text(axis.name, text, presence)) return std::nullopt;
  const auto bits = training::bits_of(training::member_of(axis.axis).words, text);
  if (!bits)
    file.problems().error(place_of(*file.node(axis.name, presence)),
                          "\"" + text + "\" is not a list of " + std::string(axis.name),
                          "join words with +, as in \"core_attn+mlp\"");
  return bits;
}

std::optional<std::int32_t> read(TableReader& file, const AxisInfo& axis, Presence presence) {
  if (axis.kind == AxisKind::flag) {
    bool value = false;
    if (file.boolean(axis.name, value, presence)) return value ? 1 : 0;
  } else if (axis.kind == AxisKind::word) {
    const auto words = training::member_of(axis.axis).words;
    int value = 0;
    if (file.choice(axis.name, {words.begin(), words.end()}, value, presence)) return value;
  } else if (axis.kind == AxisKind::words) {
    return read_words(file, axis, presence);
  } else if (axis.kind == AxisKind::ratio) {
    double value = 0.0;
    if (file.real(axis.name, {0.0, axis.highest / 1000.0}, value, presence))
      return static_cast<std::int32_t>(std::lround(value * 1000.0));
  } else {
    std::int64_t value = 0;
    if (file.integer(axis.name, {0.0, static_cast<double>(axis.highest)}, value, presence))
      return static_cast<std::int32_t>(value);
  }
  return std::nullopt;
}

}  // namespace

void read_recipe(TableReader& file, training::Recipe& recipe, Presence must) {
  training::TrainingConfig holder;
  holder.recipe = recipe;
  for (const AxisInfo& axis : training::axis_table) {
    if (axis.holder != training::AxisHolder::recipe) continue;
    if (const auto value = read(file, axis, axis.is_decided ? must : Presence::optional))
      training::member_of(axis.axis).set(holder, *value);
  }
  recipe = holder.recipe;
}

std::vector<Choice> read_choices(TableReader& file) {
  std::vector<Choice> out;
  for (const AxisInfo& axis : training::axis_table) {
    const bool is_choice = axis.kind == AxisKind::flag || axis.kind == AxisKind::word ||
                           axis.kind == AxisKind::words || axis.kind == AxisKind::ratio ||
                           axis.kind == AxisKind::level;
    if (!is_choice || axis.axis == training::Axis::precision || axis.holder == training::AxisHolder::fabric)
      continue;
    if (const auto value = read(file, axis, Presence::optional)) out.push_back({axis.axis, *value});
  }
  return out;
}

}  // namespace echo::config
