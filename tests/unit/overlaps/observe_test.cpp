#include "overlaps/observe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "base/at.hpp"
#include "tests/support/sample_profile_of_gpu.hpp"

namespace echo::overlaps {
namespace {

using ::testing::Contains;
using testing::GpuProfile;
using ::testing::Pair;

constexpr std::int64_t us = 1000;

ProfileOverlaps observed(const GpuProfile& profile) { return observe(profile.make(), {}); }

// Two layers: the products of the first run alone, those of the second beside an all-reduce.
GpuProfile step() {
  GpuProfile out;
  for (int i = 0; i < 3; ++i) {
    out.kernel("gemm", (100 * i) * us, 20 * us, 7, 64, "mm", "[[8, 8]]");
    out.kernel("norm", (100 * i + 30) * us, 10 * us);
  }
  out.kernel("gemm", 1000 * us, 30 * us, 7, 64, "mm", "[[8, 8]]").kernel("norm", 1040 * us, 15 * us);
  return out.collective("all_reduce", 990 * us, 200 * us, 4096);
}

TEST(Observe, AKernelBesideCommunicationStandsNextToItselfAlone) {
  const ProfileOverlaps found = observed(step());
  ASSERT_EQ(found.rows.size(), 2U);
  const Observation& gemm = found.rows[0];
  EXPECT_FALSE(gemm.is_collective);
  EXPECT_EQ(gemm.beside, 30 * us);
  EXPECT_EQ(gemm.alone_count, 2);  // the first of them has no kernel before it
  EXPECT_EQ(gemm.alone_by, "ctx+name+grid+block+op+shape");
  EXPECT_DOUBLE_EQ(gemm.alone_median, 20.0 * us);
  EXPECT_DOUBLE_EQ(gemm.slowdown, 1.5);
  EXPECT_DOUBLE_EQ(gemm.implied, 1.5);
  EXPECT_EQ(gemm.alone_gap, 800 * us);
  EXPECT_EQ(gemm.collectives, 1);
  EXPECT_TRUE(gemm.is_recommended);
  EXPECT_TRUE(gemm.has(Doubt::few_alone));
  EXPECT_FALSE(gemm.has(Doubt::noshape));
  EXPECT_DOUBLE_EQ(gemm.weight, 1.0);
  EXPECT_EQ(found.kernels, 8);
  EXPECT_EQ(found.collectives, 1);
}

TEST(Observe, OfPartialOverlapTheSlowdownOfThePartIsImplied) {
  GpuProfile profile;
  for (int i = 0; i < 4; ++i) profile.kernel("gemm", 100 * i * us, 20 * us);
  profile.kernel("gemm", 1000 * us, 30 * us).collective("all_gather", 1010 * us, 500 * us);
  profile.kernel("gemm", 2000 * us, 20 * us);
  const ProfileOverlaps found = observed(profile);
  ASSERT_EQ(found.rows.size(), 1U);
  // 10 us before it came, as alone; the rest of the work, 10 us alone, took 20 us.
  EXPECT_DOUBLE_EQ(found.rows[0].implied, 2.0);
  EXPECT_DOUBLE_EQ(found.rows[0].slowdown, 1.5);
}

TEST(Observe, NameAndGridAloneAreNotEqualWork) {
  GpuProfile profile;
  for (int i = 0; i < 4; ++i) profile.kernel("gemm", 100 * i * us, (10 + 40 * i) * us, 7, 112, "");
  profile.kernel("other", 900 * us, 10 * us).kernel("gemm", 1000 * us, 30 * us, 7, 112, "");
  profile.collective("all_reduce", 990 * us, 200 * us);
  const ProfileOverlaps found = observed(profile);
  EXPECT_TRUE(found.rows.empty());
  EXPECT_THAT(found.left_out,
              Contains(Pair("kernels beside communication, only name and grid in common with any alone", 1)));
}

TEST(Observe, WithoutOperandsOrNeighboursARowIsAmbiguous) {
  GpuProfile profile;
  for (int i = 0; i < 4; ++i) profile.kernel("gemm", 100 * i * us, 20 * us, 7, 112, "mm");
  profile.kernel("other", 900 * us, 10 * us).kernel("gemm", 1000 * us, 30 * us, 7, 112, "mm");
  profile.collective("all_reduce", 990 * us, 200 * us);
  const ProfileOverlaps found = observed(profile);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_TRUE(found.rows[0].has(Doubt::shape_ambiguous));
  EXPECT_FALSE(found.rows[0].is_recommended);
  EXPECT_EQ(found.rows[0].weight, 0.0);
}

TEST(Observe, WiderNeighboursTellApartWhatNearOnesDoNot) {
  GpuProfile profile;
  const auto layer = [&](std::int64_t start, const char* first, std::int64_t time) {
    profile.kernel(first, start, 5 * us).kernel("cast", start + 10 * us, 5 * us);
    profile.kernel("gemm", start + 20 * us, time, 7, 112, "mm").kernel("cast", start + 200 * us, 5 * us);
    profile.kernel(first, start + 210 * us, 5 * us);
  };
  for (int i = 0; i < 3; ++i)
    layer(1000 * i * us, "up", 60 * us), layer((1000 * i + 500) * us, "down", 110 * us);
  layer(9000 * us, "down", 121 * us);
  profile.collective("all_to_all", 9000 * us, 400 * us);
  const ProfileOverlaps found = observed(profile);
  const auto gemm = std::find_if(found.rows.begin(), found.rows.end(),
                                 [&](const Observation& row) { return row.alone_median > 50.0 * us; });
  ASSERT_NE(gemm, found.rows.end());
  EXPECT_EQ(gemm->alone_by, "ctx2+name+grid+block+op");
  EXPECT_DOUBLE_EQ(gemm->slowdown, 1.1);
}

TEST(Observe, WhatRanBesideACopyOrAnotherStreamIsNotAlone) {
  GpuProfile profile;
  for (int i = 0; i < 4; ++i) profile.kernel("gemm", 100 * i * us, 20 * us);
  profile.copy(0, 10 * us).kernel("gelu", 110 * us, 20 * us, 8);
  profile.kernel("gemm", 1000 * us, 30 * us).collective("all_reduce", 990 * us, 200 * us);
  profile.kernel("gemm", 2000 * us, 20 * us);
  const ProfileOverlaps found = observed(profile);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].alone_count, 2);
}

TEST(Observe, ACollectiveIsRecommendedOnlyWhereItIsKnownNotToWait) {
  GpuProfile profile;
  for (int i = 0; i < 5; ++i) profile.collective("all_reduce", 100 * i * us, 20 * us, 4096);
  profile.collective("all_reduce", 1000 * us, 30 * us, 4096).kernel("gemm", 990 * us, 100 * us);
  const Profile made = profile.make();
  const Observation unknown = observe(made, {}).rows.at(0);
  EXPECT_TRUE(unknown.is_collective);
  EXPECT_DOUBLE_EQ(unknown.slowdown, 1.5);
  EXPECT_TRUE(unknown.has(Doubt::wait_unknown));
  EXPECT_FALSE(unknown.is_recommended);
  std::vector<std::int64_t> shortest(made.activities.size(), 30 * us);
  EXPECT_TRUE(observe(made, shortest).rows.at(0).is_recommended);
  shortest.assign(made.activities.size(), 20 * us);  // it waited for a third of its time
  EXPECT_FALSE(observe(made, shortest).rows.at(0).is_recommended);
}

TEST(Observe, CoarseClocksAddDoubtAndError) {
  const auto found = observed(step());
  EXPECT_FALSE(found.rows[0].has(Doubt::lowres));
  EXPECT_NEAR(found.rows[0].log_error, std::sqrt(1.0 / 6.0 * (1.0 / 900.0 + 1.0 / 800.0)), 1e-12);
  GpuProfile fine = step();
  fine.kernel("gelu", 5'000'001, 3);
  const Profile made = fine.make();
  EXPECT_EQ(made.tick, 1);
  EXPECT_LT(observe(made, {}).rows[0].log_error, 1e-4);
}

// --- against the obvious way: every nanosecond, every pair
struct Twin {
  const Profile& profile;

  [[nodiscard]] bool busy(std::int64_t time, std::int64_t but, int what) const {
    return std::any_of(profile.activities.begin(), profile.activities.end(), [&](const Activity& one) {
      const int kind = one.is_kernel ? one.communicates ? 1 : 0 : 2;
      return kind == what && one.stream != but && one.start <= time && time < one.end();
    });
  }
  [[nodiscard]] std::int64_t beside(const Activity& one, std::int64_t but, int what) const {
    std::int64_t out = 0;
    for (std::int64_t time = one.start; time < one.end(); ++time) out += busy(time, but, what) ? 1 : 0;
    return out;
  }
  [[nodiscard]] bool is_alone(const Activity& one) const {
    return beside(one, -1, 1) == 0 && beside(one, one.stream, 0) == 0 && beside(one, -1, 2) == 0;
  }
  using Key = std::tuple<std::int32_t, std::int64_t, std::int32_t, std::int32_t>;
  [[nodiscard]] Key key(const Activity& one) const {
    return {one.name, profile.launches[at(one.launch)].grid[0], one.op, one.shape};
  }
  // Its neighbours on its stream.
  [[nodiscard]] std::pair<Key, Key> around(const Activity& one) const {
    Key before{-1, 0, 0, 0}, after = before;
    bool is_past = false;
    for (const Activity& other : profile.activities) {
      if (other.stream != one.stream || !other.is_kernel) continue;
      Key mine = key(other);
      std::get<2>(mine) = std::get<3>(mine) = 0;
      if (&other == &one)
        is_past = true;
      else if (!is_past)
        before = mine;
      else {
        after = mine;
        break;
      }
    }
    return {before, after};
  }
};

TEST(Observe, EqualsLookingAtEveryNanosecond) {
  std::mt19937_64 random(7);
  std::int64_t rows = 0;
  for (int round = 0; round < 60; ++round) {
    GpuProfile made;
    for (const std::int64_t stream : {7, 8, 20, 9}) {
      std::int64_t time = 1;
      while (time < 400) {
        const auto duration = static_cast<std::int64_t>(2 + random() % 12);
        if (stream == 20)
          made.collective("all_reduce", time, 3 * duration, 64);
        else if (stream == 9)
          made.copy(time, duration);
        else
          made.kernel(random() % 2 == 0 ? "a" : "b", time, duration, stream, 8, "op",
                      random() % 2 == 0 ? "[[1]]" : "");
        time += duration + static_cast<std::int64_t>(random() % (stream == 7 ? 4 : 150));
      }
    }
    const Profile profile = made.make();
    const Twin twin{profile};
    for (const Observation& row : observe(profile, {}).rows) {
      ++rows;
      const Activity& one = profile.activities[at(row.activity)];
      EXPECT_EQ(row.beside, twin.beside(one, -1, row.is_collective ? 0 : 1));
      EXPECT_EQ(row.beside_others, twin.beside(one, one.stream, row.is_collective ? 1 : 0));
      EXPECT_EQ(row.beside_copies, twin.beside(one, -1, 2));
      if (row.is_collective || row.alone_by.starts_with("ctx2")) continue;
      const bool by_site = row.alone_by.starts_with("ctx");
      const auto same =
          std::count_if(profile.activities.begin(), profile.activities.end(), [&](const Activity& other) {
            return other.is_kernel && !other.communicates && twin.key(other) == twin.key(one) &&
                   twin.is_alone(other) && (!by_site || twin.around(other) == twin.around(one));
          });
      EXPECT_EQ(row.alone_count, same);
    }
  }
  EXPECT_GT(rows, 100);
}

}  // namespace
}  // namespace echo::overlaps
