// Points told from repeats on the spot, against a set of all config ids; and the index they are numbered by,
// made in any number of parts and of any coarseness.
#include <gtest/gtest.h>

#include <map>

#include "sweep/space/design_space.hpp"
#include "tests/support/random_space.hpp"

namespace echo::sweep {
namespace {

using support::look_at;
using support::OneByOne;
using support::RandomSweep;

struct Listed {
  std::vector<std::int64_t> points;              // raw indices
  std::map<std::int64_t, std::int64_t> repeats;  // of which earlier raw index
};

Listed list(const RawSpace& space) {
  Listed out;
  std::map<std::uint64_t, std::int64_t> first;
  for (std::int64_t raw = 0; raw < space.size(); ++raw) {
    const OneByOne seen = look_at(space, raw);
    if (!seen.kept) continue;
    const auto [known, is_new] = first.emplace(seen.config_id, raw);
    if (is_new) {
      out.points.push_back(raw);
    } else {
      out.repeats[raw] = known->second;
    }
  }
  return out;
}

TEST(SpaceRepeats, AreToldAsASetOfAllIdsTellsThem) {
  const simulate::Catalog catalog = support::rich_catalog();
  std::size_t points = 0, repeats = 0, across = 0;
  for (std::uint64_t number = 0; number < 800; ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const DesignSpace space(RandomSweep(number).spec, catalog);
    const RawSpace& raw = space.raw_space();
    if (raw.size() > 20'000) continue;
    const Listed expected = list(raw);
    ASSERT_EQ(space.size(), static_cast<PointIndex>(expected.points.size()));
    EXPECT_EQ(space.duplicates(), static_cast<std::int64_t>(expected.repeats.size()));
    PointCursor cursor(space);
    for (PointIndex point = 0; point < space.size(); ++point) {
      cursor.go_to(point);
      ASSERT_EQ(cursor.raw(), expected.points[static_cast<std::size_t>(point)]);
    }
    RawCursor walk(raw);
    RepeatTest test(raw);
    for (const auto& [repeat, first] : expected.repeats) {
      ASSERT_TRUE(walk.find(repeat, repeat + 1));
      EXPECT_EQ(test.first_twin(walk), first);
      across += raw.group_of(repeat) != raw.group_of(first) ? 1 : 0;
    }
    points += expected.points.size();
    repeats += expected.repeats.size();
  }
  EXPECT_GT(points, 5'000U);  // the spaces are worth the comparison
  EXPECT_GT(repeats, 10'000U);
  EXPECT_GT(across, 500U);
}

TEST(SpaceRepeats, DoNotDependOnHowTheIndexWasMade) {
  const simulate::Catalog catalog = support::rich_catalog();
  for (std::uint64_t number = 0; number < 40; ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const SweepSpec spec = RandomSweep(number).spec;
    const DesignSpace whole(spec, catalog);
    for (const std::int64_t parts : {2, 3, 17}) {
      for (const std::int64_t most : {1, 5, 64}) {
        std::vector<SpaceIndex> made;
        for (std::int64_t part = 0; part < parts; ++part)
          made.push_back(index_part(whole.raw_space(), part, parts, most));
        const DesignSpace space(spec, catalog, join_parts(made, most));
        ASSERT_EQ(space.size(), whole.size());
        EXPECT_EQ(space.duplicates(), whole.duplicates());
        std::size_t entries = 0;
        for (const IndexSegment& segment : space.index().segments) entries += segment.raws.size();
        EXPECT_LE(entries, static_cast<std::size_t>(std::max(most, parts)));
        for (PointIndex point = space.size() - 1; point >= 0; point -= 1 + space.size() / 9) {
          EXPECT_EQ(space.raw_index(point), whole.raw_index(point));
          EXPECT_EQ(space.find_raw(whole.raw_index(point)), point);
        }
      }
    }
  }
}

TEST(SpaceRepeats, PointsAreTheSameInAnyOrderOfVisits) {
  const simulate::Catalog catalog = support::rich_catalog();
  for (std::uint64_t number = 0; number < 40; ++number) {
    SCOPED_TRACE("space " + std::to_string(number));
    const SweepSpec spec = RandomSweep(number).spec;
    const DesignSpace fine(spec, catalog);
    const SpaceIndex few = index_part(fine.raw_space(), 0, 1, 3);
    const DesignSpace coarse(spec, catalog, few);
    PointCursor cursor(coarse);
    for (std::uint64_t visit = 0; visit < 30 && coarse.size() > 0; ++visit) {
      const auto point =
          static_cast<PointIndex>(draw(number, 7, visit) % static_cast<std::uint64_t>(coarse.size()));
      cursor.go_to(point);
      EXPECT_EQ(cursor.raw(), fine.raw_index(point));
      EXPECT_EQ(cursor.config(), fine.at(point));
      if (point + 1 < coarse.size()) {
        cursor.go_to(point + 1);
        EXPECT_EQ(cursor.raw(), fine.raw_index(point + 1));
      }
    }
  }
}

}  // namespace
}  // namespace echo::sweep
