// The nearest feasible point, beside an obvious twin: every other value of every axis, set in the config
// itself.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "explain/nearest/alternatives.hpp"
#include "explain/nearest/nearest_feasible.hpp"
#include "simulate/simulate.hpp"
#include "sweep/choice/one_point.hpp"
#include "sweep/choice/value_text.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::explain {
namespace {

using sweep::Axis;
using training::TrainingConfig;

const simulate::Catalog& catalog() { return support::presets().catalog; }
const simulate::Calibration& calibration() { return support::presets().calibration; }

// One choice beside what could run; every choice by itself; too large a model.
TrainingConfig some_config(std::uint64_t seed) {
  support::Draws draws(seed);
  if (seed % 3 == 0) {
    TrainingConfig config = support::random_config(seed);
    const TrainingConfig other = support::wild_config(seed);
    const training::AxisMember& member =
        training::member_of(static_cast<Axis>(draws.below(static_cast<std::int32_t>(sweep::axis_count))));
    if (member.set != nullptr) member.set(config, member.get(other));
    return config;
  }
  if (seed % 3 == 1) return support::wild_config(seed);
  TrainingConfig config = support::random_config(seed);
  config.model = training::ModelId(support::named(
      catalog().models, draws.one_of({"gpt3-175b", "llama2-70b", "llama3-70b", "mixtral-8x22b"})));
  config.flash_attention = true;
  config.batch.global_samples = config.degrees.data * config.batch.micro_samples * 16;
  return config;
}

// Names every axis with the config's own value, so that nothing follows from another.
sweep::SweepSpec naming_all(const TrainingConfig& config) {
  sweep::SweepSpec spec;
  for (const sweep::AxisInfo& info : sweep::axis_table)
    if (info.axis != Axis::dp)
      sweep::set_values(spec, info.axis, {sweep::value_in(config, info.axis, catalog())});
  return spec;
}

// The config with another value of the axis; nothing where the GPUs cannot be shared out.
std::optional<TrainingConfig> with(TrainingConfig config, Axis axis, const sweep::AxisValue& value) {
  std::int64_t gpus = training::gpus_of(config.degrees);
  const sweep::AxisKind kind = sweep::info_of(axis).kind;
  if (axis == Axis::gpus) {
    gpus = value.number;
  } else if (kind == sweep::AxisKind::word || kind == sweep::AxisKind::preset) {
    // The place of the word is what a config holds: the first whose text agrees.
    const training::AxisMember& member = training::member_of(axis);
    const std::int32_t own = member.get(config);
    for (std::int32_t place = 0; place < 64; ++place) {
      member.set(config, place);
      if (axis == Axis::schedule && place >= std::ssize(timeline::schedule_table())) return std::nullopt;
      if (axis != Axis::schedule && place >= std::ssize(member.words)) return std::nullopt;
      if (sweep::value_in(config, axis, catalog()).text == value.text) break;
    }
    if (member.get(config) == own) return std::nullopt;
  } else {
    training::member_of(axis).set(config, static_cast<std::int32_t>(value.number));
  }
  training::Degrees& d = config.degrees;
  const std::int64_t others = std::int64_t{d.tensor} * d.pipeline * d.context;
  if (gpus % others != 0) return std::nullopt;
  d.data = static_cast<std::int32_t>(gpus / others);
  return config;
}

struct Outcome {
  bool is_feasible = false, is_sure = false;
  SimTime step{};
};
Outcome simulated(const TrainingConfig& config) {
  static simulate::Workspace workspace;
  const simulate::StepReport report =
      simulate::simulate(sweep::normalised(config, catalog()), catalog(), calibration(), workspace);
  const bool is_feasible = report.status == training::Status::ok;
  return {is_feasible, is_feasible && static_cast<double>(report.fit_chance) >= simulate::ranked_fit_chance,
          report.step};
}

std::string text_of(const Way& way) {
  std::string text;
  for (const Change& change : way.changes)
    text += std::string(sweep::info_of(change.axis).name) + " " + change.from + " -> " + change.to + " ";
  return text;
}

// What every single change gives, by its text; of the feasible ones.
std::map<std::string, Outcome> single_changes(const TrainingConfig& config, const sweep::SweepSpec& spec,
                                              const sweep::AxisSet& axes) {
  std::map<std::string, Outcome> found;
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    if (!axes.test(at(info.axis))) continue;
    for (const sweep::AxisValue& value : alternatives(config, info.axis, spec, catalog())) {
      const auto changed = with(config, info.axis, value);
      const Outcome outcome = changed ? simulated(*changed) : Outcome();
      if (!outcome.is_feasible) continue;
      const std::string own =
          sweep::value_text(info.axis, sweep::value_in(config, info.axis, catalog()), catalog());
      found[std::string(info.name) + " " + own + " -> " + sweep::value_text(info.axis, value, catalog()) +
            " "] = outcome;
    }
  }
  return found;
}

TEST(Nearest, FindsEverySingleChangeAndNoPairWhereOneWillDo) {
  const auto first = static_cast<std::uint64_t>(::testing::UnitTest::GetInstance()->random_seed()) * 10'000;
  const std::int32_t points = support::is_sanitized ? 6 : 60;
  std::int32_t looked_at = 0, by_one = 0, by_two = 0, by_none = 0;
  std::set<training::Reason> reasons;
  for (std::uint64_t seed = first; looked_at < points; ++seed) {
    const TrainingConfig config = some_config(seed);
    const sweep::SweepSpec spec = naming_all(config);
    const sweep::OnePoint point = sweep::pinned(spec, config, catalog());
    const NearestQuery query{.axes = changeable_axes(spec, {})};
    if (simulated(config).is_feasible) continue;
    ++looked_at;
    const Nearest nearest = nearest_feasible(point, spec, catalog(), calibration(), query);
    ASSERT_TRUE(nearest.removed_by.empty()) << "seed " << seed << ": " << nearest.removed_by.front();
    ASSERT_EQ(nearest.point.config_id, sweep::config_id_of(config, catalog())) << "seed " << seed;
    reasons.insert(nearest.point.report.reason);
    const auto singles = single_changes(config, spec, query.axes);
    std::map<std::string, Outcome> named;
    for (const Way& way : nearest.ways)
      if (way.changes.size() == 1) named[text_of(way)] = {true, way.is_sure, way.row.report.step};
    ASSERT_EQ(named.size(), singles.size()) << "seed " << seed;
    bool any_sure = false;
    for (const auto& [text, outcome] : singles) {
      ASSERT_TRUE(named.contains(text)) << "seed " << seed << ": " << text;
      ASSERT_EQ(named[text].step, outcome.step) << "seed " << seed << ": " << text;
      ASSERT_EQ(named[text].is_sure, outcome.is_sure) << "seed " << seed << ": " << text;
      any_sure |= outcome.is_sure;
    }
    ASSERT_EQ(nearest.most_changes, any_sure ? 1 : 2) << "seed " << seed;
    for (const Way& way : nearest.ways) {
      ASSERT_EQ(way.row.report.status, training::Status::ok) << "seed " << seed;
      ASSERT_EQ(simulated(way.row.config).step, way.row.report.step)
          << "seed " << seed << ": " << text_of(way);
    }
    ++(any_sure ? by_one : nearest.ways.empty() ? by_none : by_two);
  }
  EXPECT_GT(by_one, points / 20 - 1);
  EXPECT_GT(by_two, points / 12);
  EXPECT_EQ(reasons.size(), 2U);
  RecordProperty("by_one", by_one), RecordProperty("by_two", by_two), RecordProperty("by_none", by_none);
}

TEST(Nearest, PutsSureWaysThenThoseOfTheLayoutFirst) {
  const TrainingConfig config = [] {
    TrainingConfig c = support::random_config(4);
    c.model = training::ModelId(support::named(catalog().models, "llama3-70b"));
    c.cluster = machine::ClusterId(support::named(catalog().clusters, "dgx-h100-ndr400"));
    c.framework = training::FrameworkId(support::named(catalog().frameworks, "megatron-core"));
    c.recipe = catalog().framework(c).recipe;
    c.degrees = {.tensor = 2, .pipeline = 1, .data = 32};
    c.batch = {.global_samples = 128, .micro_samples = 1, .sequence_tokens = 8192};
    c.schedule = training::ScheduleId();
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
    c.flash_attention = c.sequence_parallel = true;
    c.recompute = training::Recompute::none;
    c.zero = training::ZeroStage::optimizer;
    c.zero_group = 0;
    c.overlap = {};
    return c;
  }();
  const sweep::SweepSpec spec = naming_all(config);
  const Nearest nearest = nearest_feasible(sweep::pinned(spec, config, catalog()), spec, catalog(),
                                           calibration(), {.axes = changeable_axes(spec, {})});
  ASSERT_EQ(nearest.point.report.reason, training::Reason::memory);
  ASSERT_GT(nearest.ways.size(), 2U);
  for (std::size_t i = 1; i < nearest.ways.size(); ++i) {
    const Way &before = nearest.ways[i - 1], &after = nearest.ways[i];
    EXPECT_GE(before.is_sure, after.is_sure);
    if (before.is_sure != after.is_sure || before.changes.size() != after.changes.size()) continue;
    EXPECT_GE(before.is_layout, after.is_layout);
    if (before.is_layout == after.is_layout) {
      EXPECT_LE(before.value, after.value);
    }
  }
}

}  // namespace
}  // namespace echo::explain
