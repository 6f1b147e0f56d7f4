// Problem: a sweep sets one choice, the framework's default of another forbids it, and every such point ends
// as unsupported: overlap_ep under a framework that overlaps shared experts. Idea: rules name the axes that
// they look at. Where all points that were looked at with one value of a chosen axis break a rule, an axis of
// that rule which the sweep does not name is changed, and the rule is tested again. Neglected: two defaults
// that stand in the way together; axes other than switches, words and levels.
#include "sweep/choice/standing_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "base/at.hpp"
#include "simulate/simulate.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/vocabulary.hpp"
#include "sweep/space/config_id.hpp"

namespace echo::sweep {

namespace {

using training::Axis;
using training::AxisKind;
using training::TrainingConfig;

// How many values an axis has that is a choice of the program; 0 of degrees, sizes and presets.
std::int32_t values_of(Axis axis) {
  constexpr std::int32_t few = 16;
  const training::AxisInfo& info = training::info_of(axis);
  if (info.kind == AxisKind::flag) return 2;
  if (info.kind == AxisKind::level) return info.highest < few ? info.highest + 1 : 0;
  return info.kind == AxisKind::word ? static_cast<std::int32_t>(training::member_of(axis).words.size()) : 0;
}

bool is_choice(Axis axis) { return training::member_of(axis).get != nullptr && values_of(axis) > 1; }

// What a sweep chooses: a schedule, too.
bool is_chosen(Axis axis) { return is_choice(axis) || axis == Axis::schedule; }

std::string text_of(Axis axis, std::int32_t value, const simulate::Catalog& catalog) {
  if (training::info_of(axis).kind == AxisKind::flag) return value != 0 ? "true" : "false";
  const auto words = vocabulary_of(axis, catalog);  // none of a level
  return value < std::ssize(words) ? fmt::format("\"{}\"", words[at(value)]) : std::to_string(value);
}

std::vector<Axis> axes_in(const Refusal& refusal) {
  std::vector<Axis> out;
  std::istringstream words(refusal.axes);
  for (std::string word; words >> word;)
    if (const auto axis = training::find_axis(word); axis && is_chosen(*axis)) out.push_back(*axis);
  return out;
}

// A value with which the config would not break the rule; none where there is none.
std::optional<std::int32_t> way_out(TrainingConfig config, const simulate::Catalog& catalog,
                                    const Refusal& rule, Axis axis) {
  const training::AxisMember& member = training::member_of(axis);
  const std::int32_t left = member.get(config);
  for (std::int32_t value = 0; value < values_of(axis); ++value) {
    if (value == left) continue;
    member.set(config, value);
    if (!(simulate::why_unsupported(config, catalog) == rule)) return value;
  }
  return std::nullopt;
}

struct Seen {
  std::int64_t points = 0;  // with this value of the axis
  // How often a rule is broken there, and how often each (axis, left, instead) is a way out.
  std::map<std::int32_t, std::int64_t> broken;
  std::map<std::tuple<std::int32_t, Axis, std::int32_t, std::int32_t>, std::int64_t> ways;
};

}  // namespace

std::vector<StandingDefault> standing_defaults(const DesignSpace& space, const SweepSpec& spec,
                                               const simulate::Catalog& catalog, std::int64_t most) {
  const AxisSet named = named_axes(spec);
  std::map<std::pair<Axis, std::int32_t>, Seen> seen;  // by chosen axis and value
  std::map<std::int32_t, Refusal> rules;               // by code
  const std::int64_t looks = std::min(most, space.size());
  PointCursor cursor(space);
  for (std::int64_t i = 0; i < looks; ++i) {
    cursor.go_to(i * space.size() / looks);
    const TrainingConfig config = cursor.config();
    for (const training::AxisInfo& info : training::axis_table)
      if (named.test(at(info.axis)) && is_chosen(info.axis))
        ++seen[{info.axis, training::member_of(info.axis).get(config)}].points;
    const Refusal rule = simulate::why_unsupported(config, catalog);
    if (!rule) continue;
    rules[code_of(rule)] = rule;
    const auto axes = axes_in(rule);
    std::vector<std::tuple<std::int32_t, Axis, std::int32_t, std::int32_t>> ways;
    for (const Axis standing : axes) {
      if (named.test(at(standing)) || !is_choice(standing)) continue;
      if (const auto value = way_out(config, catalog, rule, standing))
        ways.emplace_back(code_of(rule), standing, training::member_of(standing).get(config), *value);
    }
    for (const Axis chosen : axes) {
      if (!named.test(at(chosen))) continue;
      Seen& there = seen[{chosen, training::member_of(chosen).get(config)}];
      ++there.broken[code_of(rule)];
      for (const auto& way : ways) ++there.ways[way];
    }
  }
  std::vector<StandingDefault> out;
  for (const auto& [choice, there] : seen)
    for (const auto& [way, count] : there.ways) {
      const auto& [code, standing, left, instead] = way;
      if (count != there.points || there.broken.at(code) != there.points) continue;
      out.push_back({.rule = rules.at(code),
                     .chosen = std::string(training::info_of(choice.first).name),
                     .value = text_of(choice.first, choice.second, catalog),
                     .standing = std::string(training::info_of(standing).name),
                     .left = text_of(standing, left, catalog),
                     .instead = text_of(standing, instead, catalog)});
    }
  return out;
}

}  // namespace echo::sweep
