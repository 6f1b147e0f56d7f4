// No member of a set beats the bound of the set: random configs, random open axes, random members.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "bounds/memory_bound.hpp"
#include "bounds/step_bound.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/random_recipe.hpp"

namespace echo::bounds {
namespace {

using support::Draws;
using sweep::Axis;
using sweep::AxisSet;
using training::TrainingConfig;

// Sets to try; ECHO_BOUND_SETS asks for more.
std::uint64_t sets_to_try() {
  const char* const text = std::getenv("ECHO_BOUND_SETS");
  return text == nullptr ? 1500 : std::strtoull(text, nullptr, 10);
}

std::vector<Axis> axes_that_may_be_open() {
  std::vector<Axis> found;
  for (const sweep::AxisInfo& info : sweep::axis_table)
    if (reach_of(info.axis) != Reach::all && info.axis != Axis::nccl_version) found.push_back(info.axis);
  return found;
}

AxisSet some_axes(Draws& draws) {
  static const std::vector<Axis> all = axes_that_may_be_open();
  AxisSet open;
  const bool narrow = draws.coin();  // only those beside the passes
  for (const Axis axis : all)
    if (draws.below(3) == 0 && (!narrow || reach_of(axis) == Reach::beside)) open.set(at(axis));
  return open;
}

void vary(TrainingConfig& config, const AxisSet& open, Draws& draws) {
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    if (!open.test(at(info.axis))) continue;
    const training::AxisMember& member = training::member_of(info.axis);
    const bool is_words = info.kind == training::AxisKind::words;
    if (info.kind == training::AxisKind::word || is_words)
      member.set(config, draws.below(is_words ? 1 << member.words.size()
                                              : static_cast<std::int32_t>(member.words.size())));
    else if (info.kind == training::AxisKind::level && info.axis != Axis::zero)
      member.set(config, draws.one_of({0, 1, 2, 4}));
    else if (info.axis == Axis::zero)
      member.set(config, draws.below(4));
    else
      member.set(config, draws.below(2));
  }
}

std::string words_of(const TrainingConfig& config, const AxisSet& open) {
  std::string text = std::string(support::presets().catalog.framework(config).name);
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.get != nullptr &&
        (member.get(config) != member.get(TrainingConfig{}) || open.test(at(info.axis))))
      text += " " + std::string(info.name) + "=" + std::to_string(member.get(config)) +
              (open.test(at(info.axis)) ? "*" : "");
  }
  return text;
}

TrainingConfig some_config(std::uint64_t seed) {
  Draws draws(seed ^ 0xB0D5);
  TrainingConfig config = draws.coin() ? support::random_config(seed) : support::small_world(seed);
  if (draws.below(4) == 0) support::draw_recipe(config, draws);
  return config;
}

TEST(Bounds, NoMemberIsFasterThanItsSet) {
  static const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  const simulate::Calibration& known = support::presets().calibration;
  simulate::Workspace ws;
  StepBounds bounds(catalog, known, ws);
  std::int64_t sets = 0, members = 0;
  double closest = 0.0;
  for (std::uint64_t seed = 0; seed < sets_to_try(); ++seed) {
    Draws draws(seed ^ 0x0BE7);
    const TrainingConfig base = some_config(seed);
    const AxisSet open = some_axes(draws);
    const auto bound = bounds.of_set(base, open);
    if (!bound) continue;
    ++sets;
    for (int i = 0; i < 6; ++i) {
      TrainingConfig member = base;
      vary(member, open, draws);
      const TrainingConfig given = member;
      member = sweep::normalised(member, catalog);  // as a space has it
      const simulate::StepReport report = simulate::simulate(member, catalog, known, ws);
      if (report.status != training::Status::ok) continue;
      ++members;
      closest = std::max(closest, to_seconds(*bound) / to_seconds(report.step));
      ASSERT_GE(report.step, *bound) << "seed " << seed << " member " << i << ": " << words_of(member, open)
                                     << "\nof " << words_of(base, open);
      const auto of_member = bounds.of_set(given, open);
      if (of_member) {
        ASSERT_GE(report.step, *of_member) << "seed " << seed << ": " << words_of(member, open);
      }
      const auto own = bounds.of_point(member);
      ASSERT_TRUE(own.has_value());
      ASSERT_GE(report.step, *own) << "seed " << seed << ": " << words_of(member, open);
    }
  }
  EXPECT_GT(sets * 10, static_cast<std::int64_t>(sets_to_try()));
  EXPECT_GT(members, sets / 2);
  EXPECT_GT(closest, 0.9);  // a bound that says something
  RecordProperty("members", std::to_string(members));
}

// A set and one of its members: how near the bound is to the member's step; 0 where there is none.
struct Attack {
  TrainingConfig base, member;
  AxisSet open;
  double ratio = 0.0;
};

class Attacker {
 public:
  explicit Attacker(std::uint64_t seed) : draws_(seed ^ 0xA77AC) {}

  Attack start(std::uint64_t seed) {
    Attack attack{.base = some_config(seed), .member = {}, .open = some_axes(draws_)};
    attack.member = attack.base;
    vary(attack.member, attack.open, draws_);
    return judged(attack);
  }
  // One axis more or less is open, one of the open ones has another value, or the whole set has another value
  // of some axis.
  Attack step(Attack attack) {
    const auto& axes = sweep::axis_table;
    const sweep::AxisInfo& info =
        axes[static_cast<std::size_t>(draws_.below(static_cast<std::int32_t>(axes.size())))];
    const training::AxisMember& member = training::member_of(info.axis);
    if (member.set == nullptr) return attack;
    AxisSet one;
    one.set(at(info.axis));
    if (reach_of(info.axis) != Reach::all && info.axis != Axis::nccl_version) {
      if (draws_.coin()) attack.open.flip(at(info.axis));
      vary(attack.member, one, draws_);
      if (!attack.open.test(at(info.axis))) member.set(attack.base, member.get(attack.member));
    } else {
      const std::int32_t value = member.get(some_config(static_cast<std::uint64_t>(draws_.below(1 << 20))));
      member.set(attack.base, value), member.set(attack.member, value);
    }
    return judged(attack);
  }

 private:
  Attack judged(Attack attack) {
    attack.ratio = 0.0;
    const auto bound = bounds_.of_set(attack.base, attack.open);
    if (!bound) return attack;
    const simulate::StepReport report =
        simulate::simulate(sweep::normalised(attack.member, catalog_), catalog_, known_, ws_);
    if (report.status == training::Status::ok) attack.ratio = to_seconds(*bound) / to_seconds(report.step);
    EXPECT_LE(attack.ratio, 1.0) << words_of(attack.member, attack.open) << "\nof "
                                 << words_of(attack.base, attack.open);
    return attack;
  }
  Draws draws_;
  simulate::Catalog catalog_ = support::catalog_with_roomy_gpus();
  const simulate::Calibration& known_ = support::presets().calibration;
  simulate::Workspace ws_;
  StepBounds bounds_{catalog_, known_, ws_};
};

TEST(Bounds, ClimbingTowardsAViolationFindsNone) {
  Attacker attacker(1);
  double highest = 0.0;
  for (std::uint64_t seed = 0; seed < sets_to_try() / 15; ++seed) {
    Attack attack = attacker.start(seed);
    for (int i = 0; i < 60 && !HasFailure(); ++i)
      if (const Attack next = attacker.step(attack); next.ratio >= attack.ratio) attack = next;
    highest = std::max(highest, attack.ratio);
  }
  EXPECT_GT(highest, 0.95);
}

TEST(Bounds, NoMemberNeedsLessMemoryThanItsSet) {
  const simulate::Catalog& catalog = support::presets().catalog;
  const simulate::Calibration& known = support::presets().calibration;
  simulate::Workspace ws;
  MemoryBounds bounds(catalog, known, ws);
  std::int64_t members = 0;
  for (std::uint64_t seed = 0; seed < 4 * sets_to_try(); ++seed) {
    Draws draws(seed ^ 0x3E3);
    const TrainingConfig base = some_config(seed);
    OpenAxes open;
    open.axes = some_axes(draws);
    const auto bound = bounds.of_set(base, open, 2.0);
    if (!bound) continue;
    for (int i = 0; i < 8; ++i) {
      TrainingConfig member = base;
      vary(member, open.axes, draws);
      member = sweep::normalised(member, catalog);
      training::RankLayout layout;
      const simulate::Admission found =
          simulate::Admissions().of(member, catalog, known.errors, layout, ws.counts);
      if (found.rule != 0) continue;
      ++members;
      ASSERT_TRUE(bound->any);
      ASSERT_GE(found.memory_peak, bound->least_peak)
          << "seed " << seed << ": " << words_of(member, open.axes) << "\nof " << words_of(base, open.axes);
      ASSERT_LE(static_cast<double>(found.fit_chance), bound->most_chance)
          << "seed " << seed << ": " << words_of(member, open.axes);
    }
  }
  EXPECT_GT(members, 1000);
}

}  // namespace
}  // namespace echo::bounds
