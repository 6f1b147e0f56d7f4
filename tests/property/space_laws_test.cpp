// The pruned search against brute force: the same points, in the same order, and the same count for every
// rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counter_rng.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/space/count_space.hpp"
#include "sweep/space/design_space.hpp"
#include "tests/support/small_space.hpp"

namespace echo::sweep {
namespace {

using support::derive;
using support::keep;
using support::names;
using support::numbers;

constexpr int spaces = 400;

// A random sweep over integer axes with rules written in the little subset that brute() below can work out by
// itself.
struct RandomSpace {
  explicit RandomSpace(std::uint64_t number) : number_(number) {
    const std::vector<Axis> axes{Axis::tp, Axis::pp, Axis::vpp, Axis::micro_batch, Axis::seq_len, Axis::ep};
    for (const Axis axis : axes) {
      if (pick(5) == 0) continue;
      std::vector<std::int64_t> values;
      for (std::int32_t i = 1 + pick(4); i > 0; --i) values.push_back(1 + pick(6));
      dimensions.push_back(numbers(axis, values));
      known.emplace_back(info_of(axis).name);
    }
    if (dimensions.size() > 2 && pick(2) == 0) zip();
    if (pick(2) == 0)
      dimensions.push_back(numbers(Axis::gpus, {6, 12, 24})), known.emplace_back("gpus"), gpus = true;
    const std::int32_t count = pick(6);
    for (std::int32_t i = 0; i < count; ++i) add_rule(i);
  }
  std::int32_t pick(std::int32_t n) {
    return static_cast<std::int32_t>(draw(20261120, number_, next_++) % static_cast<std::uint64_t>(n));
  }
  const std::string& name() {
    return known[static_cast<std::size_t>(pick(static_cast<std::int32_t>(known.size())))];
  }
  void zip() {  // the last two axes, cut to one length
    Dimension last = dimensions.back();
    dimensions.pop_back();
    const std::size_t length =
        std::min(last.columns[0].values.size(), dimensions.back().columns[0].values.size());
    last.columns[0].values.resize(length);
    dimensions.back().columns[0].values.resize(length);
    dimensions.back().columns.push_back(last.columns[0]);
  }
  // Each rule reads two names and a number: derive "x * y / n", keep "x * y % n == 0" or "x + n >= y".
  struct Simple {
    enum Form { quotient, divides, compares } form;
    std::string target, x, y;
    std::int64_t n;
  };
  void add_rule(std::int32_t i) {
    if (known.empty()) return;
    Simple rule{static_cast<Simple::Form>(pick(3)), "rule" + std::to_string(i), name(), name(), 1 + pick(4)};
    const std::string n = std::to_string(rule.n);
    if (rule.form == Simple::quotient) {
      rules.push_back(derive(rule.target, rule.x + " * " + rule.y + " / " + n));
      known.push_back(rule.target);
    } else if (rule.form == Simple::divides) {
      rules.push_back(keep(rule.target, rule.x + " * " + rule.y + " % " + n + " == 0"));
    } else {
      rules.push_back(keep(rule.target, rule.x + " + " + n + " >= " + rule.y));
    }
    simple.push_back(rule);
  }

  std::vector<Dimension> dimensions;
  std::vector<Rule> rules;
  std::vector<Simple> simple;
  std::vector<std::string> known;
  bool gpus = false;

 private:
  std::uint64_t number_, next_ = 0;
};

struct Brute {
  std::map<std::string, std::int64_t> removed;
  std::vector<std::int64_t> survivors;  // raw indices, duplicates included
};

// Every combination, one by one, with nothing of the library but the axis names.
Brute brute(const RandomSpace& space, const std::vector<Dimension>& all) {
  Brute out;
  std::int64_t raw = 1;
  for (const Dimension& dimension : all) raw *= dimension.size();
  for (std::int64_t index = 0; index < raw; ++index) {
    std::map<std::string, std::int64_t> value{{"tp", 1}, {"pp", 1}, {"cp", 1}};
    std::int64_t rest = index;
    for (std::size_t d = all.size(); d-- > 0;) {
      const auto digit = static_cast<std::size_t>(rest % all[d].size());
      rest /= all[d].size();
      for (const AxisColumn& column : all[d].columns) {
        value[std::string(info_of(column.axis).name)] = column.values[digit].number;
      }
    }
    const auto blame = [&]() -> std::string {
      if (space.gpus && value["gpus"] % (value["tp"] * value["pp"]) != 0) return "derive dp";
      for (const RandomSpace::Simple& rule : space.simple) {
        const std::int64_t x = value[rule.x], y = value[rule.y];
        if (rule.form == RandomSpace::Simple::quotient) {
          if (x * y % rule.n != 0) return "derive " + rule.target;
          value[rule.target] = x * y / rule.n;
        } else if (rule.form == RandomSpace::Simple::divides ? x * y % rule.n != 0 : x + rule.n < y) {
          return rule.target;
        }
      }
      return "";
    }();
    if (blame.empty()) {
      out.survivors.push_back(index);
    } else {
      ++out.removed[blame];
    }
  }
  return out;
}

TEST(SpaceLaws, WaterfallAndPointsEqualBruteForce) {
  const simulate::Catalog catalog = support::small_catalog();
  std::int64_t points = 0, removed = 0, duplicates = 0;
  for (std::uint64_t seed = 0; seed < spaces; ++seed) {
    SCOPED_TRACE("space " + std::to_string(seed));
    RandomSpace random(seed);
    const SweepSpec spec = support::small_sweep(random.dimensions, random.rules);
    const DesignSpace space(spec, catalog);
    Brute expected = brute(random, spec.dimensions);
    std::int64_t total = 0;
    const SpaceCount counted = count_space(space.raw_space(), {});
    EXPECT_TRUE(counted.exact);
    for (const RuleCount& rule : counted.rules) {
      EXPECT_EQ(rule.removed, exactly(expected.removed[rule.name])) << rule.name;
      total += rule.removed.value;
    }
    EXPECT_EQ(counted.kept, exactly(space.size() + space.duplicates()));
    EXPECT_EQ(space.raw(), total + space.duplicates() + space.size());
    // Distinct survivors: the first of each id, in order.
    ASSERT_EQ(space.size() + space.duplicates(), static_cast<std::int64_t>(expected.survivors.size()));
    std::set<std::uint64_t> ids;
    PointIndex next = 0;
    for (const std::int64_t raw : expected.survivors) {
      if (next < space.size() && space.raw_index(next) == raw) {
        EXPECT_TRUE(ids.insert(space.config_id(next)).second) << "point " << next << " stands twice";
        ++next;
      }
    }
    EXPECT_EQ(next, space.size()) << "a point of the space is none of brute force";
    points += space.size(), removed += total, duplicates += space.duplicates();
  }
  EXPECT_GT(points, 1000);  // the spaces are worth the comparison
  EXPECT_GT(removed, 1000);
  EXPECT_GT(duplicates, 100);
}

TEST(SpaceLaws, IdsRoundTripAndDecodeToDistinctConfigs) {
  const simulate::Catalog catalog = support::small_catalog();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("space " + std::to_string(seed));
    RandomSpace random(seed);
    const DesignSpace space(support::small_sweep(random.dimensions, random.rules), catalog);
    std::set<training::TrainingConfig> seen;
    for (PointIndex id = 0; id < space.size(); ++id) {
      EXPECT_EQ(space.find_raw(space.raw_index(id)), id);
      const training::TrainingConfig config = space.at(id);
      EXPECT_EQ(config, normalised(config, catalog));
      EXPECT_EQ(config_id_of(config, catalog), space.config_id(id));
      EXPECT_TRUE(seen.insert(config).second);
    }
  }
}

TEST(SpaceLaws, TheOrderOfAxesChangesNumbersButNotIds) {
  const simulate::Catalog catalog = support::small_catalog();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("space " + std::to_string(seed));
    RandomSpace random(seed);
    const auto ids_of = [&](std::vector<Dimension> dimensions) {
      const DesignSpace space(support::small_sweep(std::move(dimensions), random.rules), catalog);
      std::set<std::uint64_t> ids;
      for (PointIndex id = 0; id < space.size(); ++id) ids.insert(space.config_id(id));
      return ids;
    };
    std::vector<Dimension> backwards(random.dimensions.rbegin(), random.dimensions.rend());
    EXPECT_EQ(ids_of(random.dimensions), ids_of(backwards));
  }
}

}  // namespace
}  // namespace echo::sweep
