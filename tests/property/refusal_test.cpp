// Rules by which configs are unsupported: each refused config has one, it is the one that is told, and it
// looks at no axis but those that it names.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "simulate/schedule_rules.hpp"
#include "tests/support/random_config.hpp"
#include "training/axis.hpp"
#include "training/feasibility.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

std::vector<std::string> axes_of(const Refusal& refusal) {
  std::istringstream words(refusal.axes);
  std::vector<std::string> out;
  for (std::string word; words >> word;) out.push_back(word);
  return out;
}

TEST(Refusals, AreNamedOnceAndNameAxes) {
  std::set<std::int32_t> codes;
  std::set<std::string> words;
  for (const Refusal& one : all_refusals()) {
    EXPECT_TRUE(codes.insert(code_of(one)).second) << one.text;
    EXPECT_TRUE(words.insert(word_of(one)).second) << one.text;
    EXPECT_EQ(refusal_of(code_of(one)), one);
    EXPECT_EQ(refusal_named(word_of(one)), one);
    EXPECT_GT(code_of(one), 0);
    EXPECT_FALSE(axes_of(one).empty()) << one.text;
    for (const std::string& axis : axes_of(one)) EXPECT_TRUE(training::find_axis(axis)) << one.text << axis;
  }
  EXPECT_GT(codes.size(), 90U);
  EXPECT_FALSE(refusal_of(0));
  EXPECT_FALSE(refusal_named("none"));
  EXPECT_EQ(word_of({"tensor degree must divide the vocabulary (this framework does not pad it)", ""}),
            "tensor_degree_must_divide_the_vocabulary_this_framework_does_not_pad_it");
}

TEST(Refusals, EveryUnsupportedConfigHasItsRule) {
  const Catalog& catalog = support::presets().catalog;
  const Calibration& calibration = support::presets().calibration;
  Workspace ws;
  std::set<std::int32_t> met;
  std::int32_t refused = 0;
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    const TrainingConfig c = support::wild_config(seed);
    const Refusal why = why_unsupported(c, catalog);
    if (!why) continue;
    ++refused;
    met.insert(code_of(why));
    const StepReport report = simulate(c, catalog, calibration, ws);
    ASSERT_EQ(report.reason, training::Reason::unsupported) << "seed " << seed << why.text;
    ASSERT_EQ(report.rule, code_of(why)) << "seed " << seed << why.text;
    ASSERT_EQ(refusal_of(report.rule), why) << "seed " << seed;
  }
  EXPECT_GT(refused, 50'000);
  EXPECT_GT(met.size(), 50U);
}

TEST(Refusals, ASupportedConfigHasNone) {
  Workspace ws;
  std::int32_t supported = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const TrainingConfig c = support::random_config(seed);
    if (why_unsupported(c, support::presets().catalog)) continue;
    ++supported;
    const StepReport report = simulate(c, support::presets().catalog, support::presets().calibration, ws);
    ASSERT_NE(report.reason, training::Reason::unsupported) << "seed " << seed;
    ASSERT_EQ(report.rule, 0) << "seed " << seed;
  }
  EXPECT_GT(supported, 100);
}

void copy_axis(const std::string& name, const TrainingConfig& from, TrainingConfig& to) {
  const training::AxisMember& member = training::member_of(*training::find_axis(name));
  if (name == "gpus")
    for (const char* const degree : {"tp", "pp", "dp", "cp"}) copy_axis(degree, from, to);
  else
    member.set(to, member.get(from));
}

// Puts the axes that a broken rule names into another config: that one breaks the rule as well, whatever its
// other axes are, unless it breaks one that is tested earlier.
TEST(Refusals, DependOnTheAxesThatTheyNameAlone) {
  const Catalog& catalog = support::presets().catalog;
  std::map<std::int32_t, std::ptrdiff_t> place;  // in the order of tests, by code
  for (const training::RuleSet* const set : training::rule_sets())
    for (const training::SupportRule& rule : set->rules)
      place.emplace(code_of(rule.otherwise), std::ssize(place));
  const auto broken_by = [&catalog](const TrainingConfig& c) {
    return training::first_broken_rule(
        {c, catalog.model(c.model), catalog.framework(c), catalog.cluster(c.cluster), catalog.gpu(c)});
  };
  std::set<std::int32_t> tried;
  for (std::uint64_t seed = 0; seed < 100'000; ++seed) {
    const TrainingConfig broken = support::wild_config(seed);
    const Refusal rule = broken_by(broken);
    if (!rule) continue;
    TrainingConfig other = support::wild_config(1'000'000 + seed);
    for (const std::string& axis : axes_of(rule)) copy_axis(axis, broken, other);
    const Refusal there = broken_by(other);
    ASSERT_TRUE(there) << "seed " << seed << ": " << rule.text << " looks at more than " << rule.axes;
    ASSERT_LE(place.at(code_of(there)), place.at(code_of(rule)))
        << "seed " << seed << ": " << rule.text << " looks at more than " << rule.axes;
    if (there == rule) tried.insert(code_of(rule));
  }
  EXPECT_GT(tried.size(), 40U);
}

}  // namespace
}  // namespace echo::simulate
