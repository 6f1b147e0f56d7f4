#include "overlaps/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_profile_of_gpu.hpp"

namespace echo::overlaps {
namespace {

using ::testing::ElementsAre;
using testing::GpuProfile;

TEST(Runs, RanksThatRanAtTheSameTimeAreOne) {
  std::vector<Profile> profiles{GpuProfile("b", 1, 2).kernel("k", 50, 100).make(),
                                GpuProfile("a", 0, 2).kernel("k", 10, 100).make(),
                                GpuProfile("c", 0, 2).kernel("k", 500, 100).make(),  // later
                                GpuProfile("d", 1, 4).kernel("k", 60, 100).make(),   // of another world
                                GpuProfile("e", 1, 2).kernel("k", 70, 100).make(),   // a rank that is there
                                GpuProfile("f").kernel("k", 10, 100).make()};        // of no known rank
  EXPECT_THAT(runs_of(profiles), ElementsAre(0, 0, 4, 2, 3, 1));
}

TEST(Runs, TimesCountFromTheEpoch) {
  std::vector<Profile> profiles{GpuProfile("a", 0, 2).kernel("k", 10, 100).make(),
                                GpuProfile("b", 1, 2).kernel("k", 10, 100).make()};
  profiles[1].epoch = 1'000'000;
  EXPECT_THAT(runs_of(profiles), ElementsAre(0, 1));
}

TEST(Runs, TheLastToJoinWaitsForNobody) {
  const std::vector<Profile> profiles{GpuProfile("a", 0, 2)
                                          .collective("all_reduce", 100, 900, 64)
                                          .collective("all_reduce", 2000, 50, 64)
                                          .make(),
                                      GpuProfile("b", 1, 2)
                                          .collective("all_reduce", 800, 205, 64)
                                          .collective("all_to_all", 2000, 40, 64)
                                          .make()};
  const auto shortest = shortest_over_ranks(profiles, runs_of(profiles));
  EXPECT_THAT(shortest, ElementsAre(ElementsAre(205, -1), ElementsAre(205, -1)));
}

TEST(Runs, AnotherSizeOrAnotherTimeIsNoCounterpart) {
  const std::vector<Profile> profiles{
      GpuProfile("a", 0, 2).collective("all_reduce", 100, 100, 64).make(),
      GpuProfile("b", 1, 2).collective("all_reduce", 100, 90, 128).make(),
  };
  EXPECT_THAT(shortest_over_ranks(profiles, {0, 0}), ElementsAre(ElementsAre(-1), ElementsAre(-1)));
  const std::vector<Profile> apart{GpuProfile("a", 0, 2).collective("all_reduce", 100, 100, 64).make(),
                                   GpuProfile("b", 1, 2).collective("all_reduce", 300, 90, 64).make()};
  EXPECT_THAT(shortest_over_ranks(apart, {0, 0}), ElementsAre(ElementsAre(-1), ElementsAre(-1)));
  EXPECT_THAT(shortest_over_ranks(apart, {0, 1}), ElementsAre(ElementsAre(-1), ElementsAre(-1)));
}

}  // namespace
}  // namespace echo::overlaps
