#include "cli/plan/plan_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counter_rng.hpp"
#include "sweep/space/sampling.hpp"
#include "sweep/space/survivor_ranks.hpp"
#include "text/show_quantity.hpp"
#include "text/text_table.hpp"

namespace echo::cli {

using sweep::Count;
using sweep::RuleCount;

namespace {

constexpr std::int64_t most_numbered = 4'000'000;  // survivors that are enumerated, which takes some seconds

// Number of repeats, estimated from survivors drawn at random; Wilson's interval.
std::optional<Count> estimate_repeats(const sweep::SweepSpec& spec, const sweep::RawSpace& space) {
  constexpr std::int64_t draws = 4000, budget = 2'000'000;
  auto ranks = sweep::SurvivorRanks::of(space, budget);
  if (!ranks || ranks->size() == 0) return std::nullopt;
  sweep::RawCursor cursor(space);
  sweep::RepeatTest repeats(space);
  double hits = 0.0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const double unit = draw_unit(spec.seed, 0x4E9EA7, i);
    const auto rank = static_cast<std::int64_t>(unit * static_cast<double>(ranks->size()));
    const std::int64_t raw = ranks->raw_at(std::min(rank, ranks->size() - 1));
    if (cursor.find(raw, raw + 1) && repeats.is_repeat(cursor)) hits += 1.0;
  }
  constexpr double z = 1.959964, n = draws;
  const double centre = (hits + z * z / 2.0) / (n + z * z);
  const double half = z / (n + z * z) * std::sqrt(hits * (n - hits) / n + z * z / 4.0);
  const auto scaled = [&](double share) {
    return static_cast<std::int64_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(ranks->size()));
  };
  return Count{scaled(hits / n), hits == 0.0 ? 0 : scaled(centre - half), scaled(centre + half)};
}

const char* remark_on(const RuleCount& rule, std::int64_t left, const std::vector<RuleCount>& alone) {
  if (rule.removed.value > 0) return left == 0 ? "! removes the last points" : "";
  if (!rule.tests || !rule.removed.is_exact()) return "";
  const auto same = std::ranges::find(alone, rule.name, &RuleCount::name);
  return same == alone.end() || same->removed.value == 0 ? "! removes nothing: is it needed?"
                                                         : "earlier rules remove the same points";
}

std::string interval(const Count& count) {
  if (count.is_exact()) return "";
  return fmt::format("95 %: {} to {}", text::show_count(count.low), text::show_count(count.high));
}

}  // namespace

std::string show_estimate(const Count& count) {
  return (count.is_exact() ? "" : "~") + text::show_count(count.value);
}

PlanCounts count_plan(const sweep::SweepSpec& spec, const simulate::Catalog& catalog) {
  PlanCounts counts;
  const sweep::RawSpace raw(spec, catalog);
  const sweep::CountOptions options{.seed = static_cast<std::uint64_t>(spec.seed)};
  counts.space = sweep::count_space(raw, options);
  counts.alone = sweep::count_rules_alone(raw, options);
  const bool sampled = sweep::draws_points(spec.search.strategy);
  if (sampled || counts.space.kept.high <= most_numbered)
    counts.points = std::make_unique<const sweep::DesignSpace>(spec, catalog);
  counts.to_run = counts.space.kept;
  if (counts.points) {
    counts.to_run = sweep::exactly(counts.points->size());
    if (!sampled) counts.repeats = sweep::exactly(counts.points->duplicates());
  } else if (const auto repeats = estimate_repeats(spec, raw)) {
    counts.repeats = repeats;
    counts.to_run = {counts.space.kept.value - repeats->value, counts.space.kept.low - repeats->high,
                     counts.space.kept.high - repeats->low};
  }
  return counts;
}

std::string waterfall_text(const sweep::SweepSpec& spec, const PlanCounts& counts) {
  text::TextTable table({"<", "<rule", "removed", "left", "<"});
  const auto add_axes = [&](const std::vector<sweep::Dimension>& dimensions, const std::string& name) {
    std::size_t axes = 0;
    for (const auto& dimension : dimensions) axes += dimension.columns.size();
    std::int64_t product = 1;  // fits: the space was made
    for (const auto& dimension : dimensions) product *= dimension.size();
    table.add({"axes", fmt::format("{} in {} dimensions{}", axes, dimensions.size(), name), "",
               text::show_count(product), ""});
  };
  if (spec.groups.empty()) add_axes(spec.dimensions, "");
  for (const sweep::SubSpace& group : spec.groups) add_axes(group.dimensions, ", group " + group.name);
  if (spec.groups.size() > 1) table.add({"", "together", "", text::show_count(counts.space.raw), ""});
  // Summed from the kept points, so that estimates also end in the number of points to run.
  std::int64_t left = counts.space.kept.value;
  for (const RuleCount& rule : counts.space.rules) left += rule.removed.value;
  for (const RuleCount& rule : counts.space.rules) {
    left -= rule.removed.value;
    table.add({"", rule.name, (rule.removed.value > 0 ? "-" : "") + show_estimate(rule.removed),
               (counts.space.exact ? "" : "~") + text::show_count(left),
               interval(rule.removed) + remark_on(rule, left, counts.alone)});
  }
  if (counts.repeats && counts.repeats->high > 0) {
    table.add({"", "repeated configs", "-" + show_estimate(*counts.repeats), show_estimate(counts.to_run),
               interval(*counts.repeats)});
  }
  return table.text() +
         "Rules apply in file order: a combination removed by several rules counts for the first.\n";
}

std::string alone_text(const PlanCounts& counts) {
  text::TextTable table({"<rule alone", "removes", "share", "<"});
  for (const RuleCount& rule : counts.alone) {
    const double share = static_cast<double>(rule.removed.value) /
                         static_cast<double>(std::max<std::int64_t>(counts.space.raw, 1));
    const char* remark = rule.removed.value == counts.space.raw ? "! removes everything"
                         : rule.tests && rule.removed == sweep::exactly(0)
                             ? "! removes nothing: is it needed?"
                             : "";
    table.add(
        {rule.name, show_estimate(rule.removed), text::show_share(share), interval(rule.removed) + remark});
  }
  return table.text();
}

std::string to_run_text(const sweep::SweepSpec& spec, const PlanCounts& counts) {
  const bool searches = spec.search.strategy == sweep::Strategy::best;
  std::string text =
      fmt::format("{}  {} points", searches ? "to search" : "to run", show_estimate(counts.to_run));
  if (counts.space.raw > 0) {
    const double share = static_cast<double>(counts.to_run.value) / static_cast<double>(counts.space.raw);
    text += share < 1e-3 ? fmt::format(" ({:.2g} %)", share * 100.0)
                         : fmt::format(" ({})", text::show_share(share));
  }
  if (sweep::draws_points(spec.search.strategy)) {
    text += fmt::format(", {} of the {} that the rules keep",
                        spec.search.strategy == sweep::Strategy::sobol ? "a Sobol sample" : "drawn at random",
                        show_estimate(counts.space.kept));
  } else if (!counts.repeats) {
    text += "; repeated configs are not subtracted";
  }
  if (searches) text += "; simulated are those that bounds and memory leave open";
  if (!counts.to_run.is_exact()) text += "; " + interval(counts.to_run);
  return text + "\n";
}

void add_count(std::string_view name, const Count& count, text::Json& json) {
  json.member(name, count.value);
  if (count.is_exact()) return;
  json.member(std::string(name) + "_low", count.low).member(std::string(name) + "_high", count.high);
}

void add_counts(const PlanCounts& counts, text::Json& json) {
  json.member("raw", counts.space.raw).member("exact", counts.space.exact && counts.to_run.is_exact());
  add_count("points", counts.to_run, json);
  if (counts.repeats) add_count("duplicates", *counts.repeats, json);
  const auto add_rules = [&](const char* name, const std::vector<RuleCount>& rules) {
    json.key(name).open_array();
    for (const RuleCount& rule : rules) {
      json.open_object().member("name", rule.name);
      add_count("removed", rule.removed, json);
      json.close();
    }
    json.close();
  };
  add_rules("rules", counts.space.rules);
  add_rules("alone", counts.alone);
}

}  // namespace echo::cli
