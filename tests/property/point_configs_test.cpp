// Configs and ids of points that are made from those of the point before equal those made from nothing, in
// any order of points.
#include <gtest/gtest.h>

#include "sweep/space/config_ids.hpp"
#include "sweep/space/design_space.hpp"
#include "sweep/space/point_configs.hpp"
#include "tests/support/random_config.hpp"
#include "tests/support/random_space.hpp"

namespace echo::sweep {
namespace {

AxisSet listed_axes(const RawSpace& space) {
  AxisSet listed;
  for (std::size_t g = 0; g < space.groups(); ++g)
    for (const auto& columns : space.program(g).dimensions)
      for (const ResolvedColumn& column : columns) listed.set(at(column.axis));
  return listed;
}

TEST(PointConfigs, AreThoseOfEachPointByItself) {
  const simulate::Catalog catalog = support::rich_catalog();
  std::int64_t seen = 0;
  for (std::uint64_t number = 0; number < 600; ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const RawSpace space(support::RandomSweep(number).spec, catalog);
    if (space.size() == 0) continue;
    const AxisSet listed = listed_axes(space);
    RawCursor cursor(space);
    PointConfigs configs(space);
    ConfigIds ids(catalog);
    support::Draws draws(number);
    for (int i = 0; i < 60; ++i) {  // some steps ahead, then a leap
      const bool leaps = i == 0 || draws.below(4) == 0;
      const auto raw = static_cast<std::int64_t>(draw_unit(number, 1, static_cast<std::uint64_t>(i)) *
                                                 static_cast<double>(space.size()));
      if (!(leaps ? cursor.find(raw, space.size()) : cursor.next(space.size()))) {
        if (!cursor.find(0, space.size())) break;
      }
      const training::TrainingConfig config = config_of(cursor.state(), catalog);
      configs.go_to(cursor.group(), cursor.state());
      ASSERT_EQ(configs.config(), normalised(config, catalog));
      ASSERT_EQ(configs.irrelevant() & listed, irrelevant_axes(config, catalog) & listed);
      ASSERT_EQ(ids.of(configs.config(), training::values_of(configs.config())),
                config_id_of(config, catalog));
      ++seen;
    }
  }
  EXPECT_GT(seen, 10'000);
}

TEST(ConfigIds, AreThoseOfEachConfigByItself) {
  const simulate::Catalog& catalog = support::presets().catalog;
  ConfigIds ids(catalog);
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const training::TrainingConfig c = normalised(support::wild_config(seed), catalog);
    ASSERT_EQ(ids.of(c, training::values_of(c)), config_id_of(c, catalog)) << "seed " << seed;
  }
}

// A walk ahead goes from combination to combination as leaps do that start anew.
TEST(RawCursor, GoesAheadAsItLeaps) {
  const simulate::Catalog catalog = support::rich_catalog();
  for (std::uint64_t number = 0; number < 300; ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const RawSpace space(support::RandomSweep(number).spec, catalog);
    RawCursor ahead(space);
    std::int64_t raw = 0;
    for (int i = 0; i < 40 && raw < space.size(); ++i) {
      RawCursor anew(space);
      const bool found = anew.find(raw, space.size());
      ASSERT_EQ(ahead.find(raw, space.size()), found);
      if (!found) break;
      ASSERT_EQ(ahead.raw(), anew.raw());
      ASSERT_EQ(ahead.digits(), anew.digits());
      ASSERT_EQ(config_of(ahead.state(), catalog), config_of(anew.state(), catalog));
      const double step = draw_unit(number, 2, static_cast<std::uint64_t>(i));
      raw = ahead.raw() + 1 + static_cast<std::int64_t>(step * step * static_cast<double>(space.size()) / 8);
    }
  }
}

}  // namespace
}  // namespace echo::sweep
