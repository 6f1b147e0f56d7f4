#include "trace/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/small_trace.hpp"

namespace echo::trace {
namespace {

using ::testing::HasSubstr;

std::string problem_of(const std::function<void(Trace&)>& spoil) {
  Trace trace = tests::small_trace();
  spoil(trace);
  return why_unsound(trace);
}

TEST(Trace, IsSoundWhereAllItSaysHoldsTogether) { EXPECT_EQ(why_unsound(tests::small_trace()), ""); }

TEST(Trace, NamesTheNodeThatIsOutOfATable) {
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[1].nodes[0].kernel = 1; }),
              HasSubstr("rank 2: node 0 has a kernel"));
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].nodes[1].name = 2; }), HasSubstr("node 1 has a name"));
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].nodes[2].group = 2; }), HasSubstr("node 2 has a group"));
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].nodes[3].peer = 4; }), HasSubstr("node 3 has a peer"));
}

TEST(Trace, RefusesCollectivesOfGroupsWithoutTheRank) {
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].nodes[2].group = 1; }), HasSubstr("without this rank"));
}

TEST(Trace, WaitsForEarlierNodesOnly) {
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].needs.value[0] = 1; }), HasSubstr("not earlier"));
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].follows.close_row(); }), HasSubstr("not earlier"));
}

TEST(Trace, HasEveryIdOnceInARank) {
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[0].nodes[3].id = 1; }), HasSubstr("twice"));
}

TEST(Trace, LetsEachRankBeStoodForOnce) {
  EXPECT_THAT(problem_of([](Trace& t) {
                t.ranks[1].stands_for = {1, 2};
              }),
              HasSubstr("another rank already represents"));
  EXPECT_THAT(problem_of([](Trace& t) { t.ranks[1].stands_for = {3}; }), HasSubstr("for itself"));
  EXPECT_THAT(problem_of([](Trace& t) { std::swap(t.ranks[0], t.ranks[1]); }), HasSubstr("out of order"));
}

TEST(Trace, HasGroupsOfDistinctRanksOfTheJob) {
  EXPECT_THAT(problem_of([](Trace& t) { t.groups[0].ranks = {0, 0}; }), HasSubstr("rank 0"));
  EXPECT_THAT(problem_of([](Trace& t) { t.groups[1].ranks = {3, 4}; }), HasSubstr("rank 4"));
  EXPECT_THAT(problem_of([](Trace& t) { t.groups[1].name = "dp0"; }), HasSubstr("two groups"));
}

}  // namespace
}  // namespace echo::trace
