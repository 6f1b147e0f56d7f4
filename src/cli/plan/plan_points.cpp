#include "cli/plan/plan_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "cli/plan/axis_choice.hpp"
#include "query/text/rule_text.hpp"
#include "simulate/simulate.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/raw_cursor.hpp"
#include "sweep/space/repeats.hpp"
#include "text/show_quantity.hpp"

namespace echo::cli {

namespace {

constexpr std::size_t most_kept = 5;
constexpr std::int64_t most_looked_at = 200'000;  // for what they require; some tenths of a second

PlannedPoint planned(const sweep::RawSpace& space, const sweep::RawCursor& cursor,
                     const sweep::VaryingAxes& varying) {
  PlannedPoint point;
  const auto config = sweep::config_of(cursor.state(), space.catalog());
  point.config_id = sweep::config_id_of(config, space.catalog());
  const sweep::Program& program = space.program(cursor.group());
  for (std::size_t d = 0; d < program.dimensions.size(); ++d) {
    for (const sweep::ResolvedColumn& column : program.dimensions[d]) {
      if (!varying.contains(column.axis)) continue;
      const auto& value = column.values[at(cursor.digits()[d])];
      point.axes.emplace_back(info_of(column.axis).name,
                              sweep::value_text(column.axis, value, program, space.catalog()));
    }
  }
  return point;
}

void count_unsupported(const sweep::RawSpace& space, const simulate::Catalog& catalog, PointFate& fate) {
  std::map<std::int32_t, PointFate::Unsupported> by_code;
  sweep::RawCursor cursor(space);
  for (bool found = cursor.find(0, space.size()); found && fate.looked_at < most_looked_at;
       found = cursor.next(space.size())) {
    ++fate.looked_at;
    const auto config = sweep::normalised(sweep::config_of(cursor.state(), catalog), catalog);
    const Refusal rule = simulate::why_unsupported(config, catalog);
    if (!rule) continue;
    PointFate::Unsupported& one = by_code[code_of(rule)];
    one = {rule, one.combinations + 1};
  }
  for (const auto& [code, one] : by_code) fate.unsupported.push_back(one);
  std::ranges::stable_sort(fate.unsupported, std::ranges::greater(), &PointFate::Unsupported::combinations);
}

std::string unsupported_text(const PointFate& fate, bool one) {
  std::string text;
  for (const PointFate::Unsupported& rule : fate.unsupported)
    text += fmt::format(
        "{}unsupported: {}\n",
        one ? "" : text::show_count(rule.combinations) + " of " + text::show_count(fate.looked_at) + " kept ",
        query::rule_said(word_of(rule.rule)));
  return text;
}

std::string axes_text(const PlannedPoint& point) {
  std::string text;
  for (const auto& [axis, value] : point.axes) text += fmt::format(" {}={}", axis, value);
  return text;
}

// The raw index in `whole` of the current combination of `part`.
std::int64_t raw_in_whole(const Choice& choice, const sweep::RawCursor& part, const sweep::RawSpace& whole) {
  const ChosenGroup& group = choice.groups[part.group()];
  std::vector<std::int64_t> digits;
  for (std::size_t d = 0; d < part.digits().size(); ++d)
    digits.push_back(group.digits[d][at(part.digits()[d])]);
  return whole.raw_of(group.group, digits);
}

}  // namespace

std::vector<PlannedPoint> list_points(const sweep::SweepSpec& spec, const simulate::Catalog& catalog,
                                      const PlanCounts& counts, std::int64_t wanted) {
  const sweep::RawSpace space(spec, catalog);
  const sweep::VaryingAxes varying(spec);
  sweep::RawCursor cursor(space);
  sweep::RepeatTest repeats(space);
  std::vector<PlannedPoint> points;
  const auto add = [&] {
    points.push_back(planned(space, cursor, varying));
    points.back().number = static_cast<sweep::PointIndex>(points.size()) - 1;
  };
  if (counts.points) {
    sweep::PointCursor numbered(*counts.points);
    for (sweep::PointIndex i = 0; i < std::min(wanted, counts.points->size()); ++i) {
      numbered.go_to(i);
      if (cursor.find(numbered.raw(), numbered.raw() + 1)) add();
    }
    return points;
  }
  for (bool found = cursor.find(0, space.size()); found && static_cast<std::int64_t>(points.size()) < wanted;
       found = cursor.next(space.size())) {
    if (!repeats.is_repeat(cursor)) add();
  }
  return points;
}

PointFate find_fate(const sweep::SweepSpec& spec, const simulate::Catalog& catalog, const PlanCounts& counts,
                    const std::string& point) {
  const sweep::RawSpace whole(spec, catalog);
  const Choice choice = choose(spec, whole, point);
  const sweep::RawSpace part(choice.spec, catalog);
  const sweep::SpaceCount counted = sweep::count_space(part, {.seed = static_cast<std::uint64_t>(spec.seed)});
  PointFate fate{.combinations = part.size(), .removals = {}, .kept = {}, .kept_count = counted.kept};
  for (const sweep::RuleCount& rule : counted.rules) {
    if (rule.removed.value == 0) continue;
    PointFate::Removal removal{rule.name, "", "", rule.removed};
    if (const sweep::Rule* written = sweep::written_rule(spec, rule.name)) {
      removal.expression = written->expression;
      removal.why = written->why;
    }
    fate.removals.push_back(std::move(removal));
  }
  const sweep::VaryingAxes varying(spec);
  sweep::RawCursor cursor(part), at(whole);
  sweep::RepeatTest repeats(whole);
  for (bool found = cursor.find(0, part.size()); found && fate.kept.size() < most_kept;
       found = cursor.next(part.size())) {
    const std::int64_t raw = raw_in_whole(choice, cursor, whole);
    const bool same = at.find(raw, raw + 1);  // rules do not depend on other listed values
    ECHO_ENSURE(same);
    fate.kept.push_back(planned(whole, at, varying));
    const auto twin = repeats.first_twin(at);
    fate.kept.back().is_repeat = twin.has_value();
    if (!counts.points) continue;
    fate.kept.back().number = twin ? -1 : counts.points->find_raw(raw);
    if (twin) fate.kept.back().repeats = counts.points->find_raw(*twin);
  }
  count_unsupported(part, catalog, fate);
  return fate;
}

std::string points_text(const std::vector<PlannedPoint>& points) {
  std::string text;
  for (const PlannedPoint& point : points) {
    if (point.repeats >= 0) {
      text += fmt::format("repeats {:>5}", point.repeats);
    } else if (point.is_repeat) {
      text += fmt::format("{:<13}", "repeats one");
    } else if (point.number >= 0) {
      text += fmt::format("point {:>7}", point.number);
    } else {
      text += fmt::format("{:<13}", "not numbered");
    }
    text += fmt::format("  {:016x} {}\n", point.config_id, axes_text(point));
  }
  return text;
}

std::string fate_text(const PointFate& fate) {
  const bool one = fate.combinations == 1;
  std::string text = one ? "" : fmt::format("{} combinations match\n", text::show_count(fate.combinations));
  for (const PointFate::Removal& removal : fate.removals) {
    text += one ? "removed by " : fmt::format("{} removed by ", show_estimate(removal.removed));
    text += removal.rule;
    if (!removal.expression.empty()) text += ": " + removal.expression;
    if (!removal.why.empty()) text += "\n  " + removal.why;
    text += "\n";
  }
  if (fate.kept_count.value > 0) {
    if (!one) text += fmt::format("{} kept by all rules, of them:\n", show_estimate(fate.kept_count));
    text += points_text(fate.kept);
  }
  return text + unsupported_text(fate, one);
}

void add_points(const char* name, const std::vector<PlannedPoint>& points, text::Json& json) {
  json.key(name).open_array();
  for (const PlannedPoint& point : points) {
    json.open_object().member("config_id", fmt::format("{:016x}", point.config_id));
    if (point.number >= 0) json.member("number", point.number);
    json.member("is_repeat", point.is_repeat);
    if (point.repeats >= 0) json.member("repeats", point.repeats);
    json.key("axes").open_object();
    for (const auto& [axis, value] : point.axes) json.member(axis, value);
    json.close().close();
  }
  json.close();
}

void add_fate(const PointFate& fate, text::Json& json) {
  json.key("why").open_object().member("combinations", fate.combinations).key("removed_by").open_array();
  for (const PointFate::Removal& removal : fate.removals) {
    json.open_object().member("rule", removal.rule).member("expression", removal.expression);
    json.member("why", removal.why);
    add_count("removed", removal.removed, json);
    json.close();
  }
  json.close();
  add_count("kept", fate.kept_count, json);
  add_points("points", fate.kept, json);
  json.member("looked_at", fate.looked_at).key("unsupported").open_array();
  for (const PointFate::Unsupported& rule : fate.unsupported)
    json.open_object()
        .member("rule", rule.rule.text)
        .member("axes", rule.rule.axes)
        .member("combinations", rule.combinations)
        .close();
  json.close().close();
}

}  // namespace echo::cli
