#include "explain/nearest/nearest_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/at.hpp"
#include "query/text/rule_text.hpp"
#include "simulate/schedule_rules.hpp"
#include "sweep/choice/value_text.hpp"
#include "sweep/choice/varying_axes.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/space/count_space.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::explain {

namespace {

using training::Reason;
using training::Status;

// The choices of the point among those the sweep varies: "tp=8 pp=4".
std::string choices_of(const NearestReport& report) {
  const sweep::VaryingAxes varying(report.spec);
  std::string text;
  for (const sweep::Dimension& dimension : report.point.spec.dimensions) {
    const sweep::AxisColumn& column = dimension.columns.front();
    const bool is_new = !sweep::named_axes(report.spec).test(at(column.axis));
    if (!varying.contains(column.axis) && !is_new) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", sweep::info_of(column.axis).name,
                        sweep::value_text(column.axis, column.values.front(), report.catalog));
  }
  return text.empty() ? "the only point" : text;
}

std::string gpus_of(const NearestReport& report) {
  for (const sweep::Dimension& dimension : report.point.spec.dimensions)
    if (dimension.columns.front().axis == sweep::Axis::gpus)
      return std::to_string(dimension.columns.front().values.front().number);
  return std::to_string(training::gpus_of(report.point.config.degrees));
}

// "1747a596  gpt3-175b on dgx-a100, 1024 GPUs".
std::string title_of(const NearestReport& report) {
  const training::TrainingConfig& config = report.point.config;
  const std::string id = report.nearest.removed_by.empty()
                             ? fmt::format("{:016x}  ", report.nearest.point.config_id)
                             : std::string();
  return fmt::format("{}{} on {}, {} GPUs\n", id, report.catalog.model(config.model).name,
                     report.catalog.cluster(config.cluster).name, gpus_of(report));
}

std::string removal_text(const NearestReport& report, const std::string& name) {
  const sweep::Rule* rule = sweep::written_rule(report.point.spec, name);
  if (rule == nullptr)
    return name.starts_with("derive ") ? name + ": no whole number follows from the other axes"
                                       : "it contradicts " + name;
  return fmt::format("removed by a rule of the sweep, {}: {}{}", name, rule->expression,
                     rule->why.empty() ? "" : " (" + rule->why + ")");
}

// One sentence for each reason.
std::vector<std::string> causes_of(const NearestReport& report) {
  std::vector<std::string> causes;
  for (const std::string& name : report.nearest.removed_by) causes.push_back(removal_text(report, name));
  if (!causes.empty()) return causes;
  const sweep::Row& row = report.nearest.point;
  switch (row.report.reason) {
    case Reason::unsupported:
      causes.push_back("unsupported: " + query::rule_said(word_of(simulate::refusal_of(row.report.rule))));
      break;
    case Reason::memory:
      causes.push_back(fmt::format("memory: short of {}, {} needed and {} usable",
                                   text::show_gib(row.report.reason_margin),
                                   text::show_gib(static_cast<double>(row.report.memory_peak.value)),
                                   text::show_gib(static_cast<double>(row.report.memory_limit.value))));
      break;
    case Reason::limit:
      causes.push_back(fmt::format("limit {}: {} beyond it", report.spec.limits[at(row.limit)].name,
                                   text::show_share(row.limit_excess)));
      break;
    case Reason::none:
      break;
    default:
      causes.push_back("it could not be simulated");
  }
  return causes;
}

// The parts of its memory, largest first.
std::string memory_text(const simulate::StepReport& report) {
  std::vector<std::size_t> parts(report.memory.size());
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = i;
  std::ranges::stable_sort(
      parts, [&](std::size_t a, std::size_t b) { return report.memory[a].value > report.memory[b].value; });
  std::string text;
  for (const std::size_t part : parts)
    if (report.memory[part].value > 0)
      text += fmt::format("{}{} {}", text.empty() ? "  " : ", ", training::memory_part_names[part],
                          text::show_gib(static_cast<double>(report.memory[part].value)));
  return text + "\n";
}

std::string memory_cell(const simulate::StepReport& report) {
  if (report.memory_peak.value == 0) return "-";
  constexpr double gib = 1073741824.0;
  return fmt::format("{:.1f}/{:.1f} GiB", static_cast<double>(report.memory_peak.value) / gib,
                     static_cast<double>(report.memory_limit.value) / gib);
}

std::string table_of(const NearestReport& report, std::span<const Way> ways) {
  std::vector<std::string> headings{"<  change", "step"};
  const bool has_best = !report.best.name.empty();
  if (has_best) headings.push_back(fmt::format("{} beside {}", report.best.by.metric, report.best.name));
  headings.insert(headings.end(), {"memory", "fits"});
  text::TextTable table(headings);
  for (const Way& way : ways) {
    std::vector<std::string> cells{"  " + change_text(way), text::show_time(to_seconds(way.row.report.step))};
    if (has_best) cells.push_back(fmt::format("{:+.1f} %", 100.0 * (way.value / report.best.value - 1.0)));
    cells.push_back(memory_cell(way.row.report));
    cells.push_back(way.row.report.memory_peak.value == 0
                        ? "-"
                        : text::show_share(static_cast<double>(way.row.report.fit_chance)));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string ways_text(const NearestReport& report) {
  const Nearest& nearest = report.nearest;
  const char* const size = nearest.most_changes == 1 ? "one choice" : "one or two choices";
  const std::string tried = text::show_count(nearest.tried) + " tried";
  if (nearest.ways.empty()) return fmt::format("no change of {} makes it feasible ({})\n", size, tried);
  const auto sure = static_cast<std::size_t>(std::ranges::count_if(nearest.ways, &Way::is_sure));
  const auto shown = std::min<std::size_t>(std::max<std::size_t>(sure, 1), at(report.shown));
  std::string text;
  if (sure == 0)
    text = fmt::format("no change of {} makes it surely fit ({}); the nearest may fit\n", size, tried);
  else
    text = fmt::format("{} of {} makes it feasible ({}){}\n",
                       sure == 1 ? "a change" : fmt::format("each of {} changes", sure),
                       nearest.ways.front().changes.size() == 1 ? "one choice" : "two choices", tried,
                       sure > shown ? fmt::format("; the {} best by {}", shown, report.best.by.metric) : "");
  return text + table_of(report, std::span(nearest.ways).first(shown));
}

void add_ways(text::Json& json, const NearestReport& report) {
  json.key("ways").open_array();
  for (const Way& way : report.nearest.ways) {
    json.open_object().key("changes").open_array();
    for (const Change& change : way.changes)
      json.open_object()
          .member("axis", std::string(sweep::info_of(change.axis).name))
          .member("from", change.from)
          .member("to", change.to)
          .close();
    json.close();
    json.member("config_id", fmt::format("{:016x}", way.row.config_id));
    json.member("step_time", to_seconds(way.row.report.step));
    json.member("value", way.value);
    json.member("mem_peak", way.row.report.memory_peak.value);
    json.member("mem_limit", way.row.report.memory_limit.value);
    json.member("fit_chance", static_cast<double>(way.row.report.fit_chance));
    json.member("fits_surely", way.is_sure).member("changes_layout_alone", way.is_layout).close();
  }
  json.close();
}

}  // namespace

std::string change_text(const Way& way) {
  std::vector<std::string> parts;
  for (const Change& change : way.changes)
    parts.push_back(fmt::format("{} {} -> {}", sweep::info_of(change.axis).name, change.from, change.to));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string nearest_text(const NearestReport& report) {
  const Nearest& nearest = report.nearest;
  std::string text = title_of(report) + choices_of(report) + "\n";
  const auto causes = causes_of(report);
  for (const std::string& cause : causes) text += cause + "\n";
  if (nearest.removed_by.empty() && nearest.point.report.reason == Reason::memory)
    text += memory_text(nearest.point.report);
  if (!causes.empty()) return text + "\n" + ways_text(report);
  return text + fmt::format("feasible: step {}\n", text::show_time(to_seconds(nearest.point.report.step)));
}

void add_nearest(text::Json& json, const NearestReport& report) {
  const Nearest& nearest = report.nearest;
  const simulate::StepReport& own = nearest.point.report;
  json.member("point", choices_of(report));
  const bool is_removed = !nearest.removed_by.empty();
  json.member("feasible", !is_removed && own.status == Status::ok);
  json.key("causes").open_array();
  for (const std::string& cause : causes_of(report)) json.value(cause);
  json.close();
  if (!is_removed) json.member("config_id", fmt::format("{:016x}", nearest.point.config_id));
  if (!is_removed && own.reason == Reason::unsupported)
    json.member("rule", word_of(simulate::refusal_of(own.rule)));
  if (!is_removed && own.memory_peak.value > 0) {
    json.member("mem_peak", own.memory_peak.value).member("mem_limit", own.memory_limit.value);
    json.member("short_of", own.reason_margin).key("memory").open_object();
    for (std::size_t i = 0; i < own.memory.size(); ++i)
      json.member(training::memory_part_names[i], own.memory[i].value);
    json.close();
  }
  json.member("by", report.best.by.metric)
      .member("best", report.best.name)
      .member("best_value", report.best.value);
  json.member("changes", nearest.most_changes).member("tried", nearest.tried);
  add_ways(json, report);
}

}  // namespace echo::explain
