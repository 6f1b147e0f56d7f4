#include "parallel/dispatch/hand_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace echo::parallel {
namespace {

constexpr std::size_t failed = 2;  // training::Status::failed

Request after(std::int64_t ids, double seconds) { return {.ids = ids, .seconds = seconds}; }
constexpr Request idle{.is_idle = 1};

// Every point once, whatever the order in which workers ask.
TEST(HandOut, GivesEveryPointOnce) {
  const IdSet missing({{0, 500}, {700, 900}, {2000, 2001}});
  for (const int workers : {2, 3, 9}) {
    HandOut ledger({.missing = missing}, workers, {});
    std::vector<sweep::IdRange> given;
    for (int turn = 0;; ++turn) {
      const auto answer = ledger.answer(1 + turn % (workers - 1), after(1 + turn % 50, 0.001));
      ASSERT_TRUE(answer);
      if (answer->kind == Answer::Kind::over) break;
      given.push_back({answer->begin, answer->end});
      const auto own = ledger.take_own(1e-5);
      if (own.begin < own.end) given.push_back(own);
    }
    std::int64_t sum = 0;
    for (const auto& range : given) sum += range.end - range.begin;
    EXPECT_EQ(sum, missing.count());
    EXPECT_EQ(IdSet(given), missing);
    EXPECT_EQ(ledger.stopped(), StopReason::none);
  }
}

// A worker gets the ids of a block one after the other while others ask, so that it may pack them.
TEST(HandOut, GivesWholeBlocksToOneWorkerEach) {
  constexpr std::int64_t block = 100;
  HandOut ledger({.missing = IdSet({{0, 5000}})}, 4, {.block = block});
  std::map<std::int64_t, std::set<int>> workers_of;
  std::map<int, std::int64_t> last;
  for (int turn = 0;; ++turn) {
    const int worker = 1 + turn % 3;
    const auto answer = ledger.answer(worker, after(7, 0.25 * 7 / 30));  // 30 points a range
    if (answer->kind == Answer::Kind::over) break;
    EXPECT_LE(answer->end - answer->begin, 30);
    if (answer->begin % block != 0 && answer->begin < 4500) {  // later ones may be halves of another's
      EXPECT_EQ(answer->begin, last[worker]);
    }
    last[worker] = answer->end;
    for (std::int64_t id = answer->begin; id < answer->end; ++id) workers_of[id / block].insert(worker);
  }
  const auto whole = std::ranges::count_if(workers_of, [](const auto& of) { return of.second.size() == 1; });
  EXPECT_EQ(std::ssize(workers_of), 50);
  EXPECT_GE(whole, 44);  // all but those at the end, which are shared out
}

TEST(HandOut, GivesSeveralBlocksToAWorkerThatDoesThemInARange) {
  HandOut ledger({.missing = IdSet({{0, 10'000'000}})}, 10, {.block = 1000});
  EXPECT_EQ(ledger.answer(1, after(1000, 0.25 / 64))->begin, 0);  // 64 000 points in a range
  const auto next = ledger.answer(2, after(1000, 0.25 / 64));
  EXPECT_EQ(next->begin % 1000, 0);
  EXPECT_EQ(next->end - next->begin, 64'000);
}

TEST(HandOut, KeepsARangeWithinTheTimeItMayTake) {
  HandOut ledger({.missing = IdSet({{0, 1'000'000}})}, 2, {.range_seconds = 0.25});
  const auto slow = ledger.answer(1, after(10, 1.0));  // a tenth of a second each
  EXPECT_EQ(slow->end - slow->begin, 2);
  const auto fast = ledger.answer(1, after(1000, 0.001));
  EXPECT_GT(fast->end - fast->begin, 10'000);
}

// Ids reserved for one worker would end in a short range if they held little more than one range.
TEST(HandOut, ReservesSeveralRangesWhereABlockHoldsLittleMoreThanOne) {
  HandOut ledger({.missing = IdSet({{0, 10'000'000}})}, 10, {.block = 1600, .range_seconds = 0.25});
  std::vector<std::int64_t> sizes;
  for (int turn = 0; turn < 4; ++turn) {
    const auto answer = ledger.answer(1, after(1000, 0.25));  // 1 000 points in a range
    sizes.push_back(answer->end - answer->begin);
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{1000, 1000, 1000, 200}));  // two blocks of 1 600
}

TEST(HandOut, EndsInShortRangesThatStillTakeAWhile) {
  HandOut ledger({.missing = IdSet({{0, 1000}})}, 10, {.shortest_range_seconds = 0.005});
  const auto fast = ledger.answer(1, after(1000, 0.1));  // a quarter of an even share is 25 points: 2.5 ms
  EXPECT_EQ(fast->end - fast->begin, 50);
  const auto slow = ledger.answer(2, after(10, 0.1));
  EXPECT_EQ(slow->end - slow->begin, 23);
}

TEST(HandOut, GivesLongerRangesToVeryManyWorkers) {
  HandOut few({.missing = IdSet({{0, 1'000'000'000}})}, 100, {});
  HandOut many({.missing = IdSet({{0, 1'000'000'000}})}, 100'000, {});
  const auto a = few.answer(1, after(1000, 1.0)), b = many.answer(1, after(1000, 1.0));
  EXPECT_EQ(a->end - a->begin, 250);
  EXPECT_EQ(b->end - b->begin, 2500);  // 3 s: 100 000 workers ask 33 000 times a second
}

TEST(HandOut, TriesSuspectsLastAndOneAtATime) {
  HandOut ledger({.missing = IdSet({{0, 1}}), .suspects = {5, 6}}, 3, {});
  EXPECT_EQ(ledger.answer(1, {})->kind, Answer::Kind::work);
  EXPECT_EQ(ledger.answer(2, {})->kind, Answer::Kind::ask_when_idle);
  EXPECT_FALSE(ledger.answer(2, idle));
  EXPECT_TRUE(ledger.release().empty());  // worker 1 is still at work
  EXPECT_EQ(ledger.answer(1, {})->kind, Answer::Kind::ask_when_idle);
  EXPECT_FALSE(ledger.answer(1, idle));
  const auto first = ledger.release();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].second.kind, Answer::Kind::alone);
  EXPECT_EQ(first[0].second.begin, 5);
  EXPECT_TRUE(ledger.release().empty());  // it is out
  EXPECT_FALSE(ledger.answer(first[0].first, idle));
  const auto second = ledger.release();
  ASSERT_EQ(second.size(), 2u - 1u);
  EXPECT_EQ(second[0].second.begin, 6);
  const auto rest = ledger.release();  // nothing is left for the other one
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].second.kind, Answer::Kind::over);
  EXPECT_EQ(ledger.answer(second[0].first, idle)->kind, Answer::Kind::over);
}

TEST(HandOut, GivesSuspectsToAWorkerAlone) {
  HandOut ledger({.suspects = {5, 6}}, 1, {});
  EXPECT_EQ(ledger.take_own(0.0), (sweep::IdRange{5, 6}));
  EXPECT_EQ(ledger.take_own(0.0), (sweep::IdRange{6, 7}));
  EXPECT_EQ(ledger.take_own(0.0), (sweep::IdRange{}));
}

// Worker 0 looks for others to release before each of its own ranges; on one worker there are none.
TEST(HandOut, HasNobodyToReleaseOnOneWorker) {
  HandOut ledger({.missing = IdSet({{0, 1}}), .suspects = {5, 6}}, 1, {});
  std::vector<sweep::IdRange> given;
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(ledger.release().empty());
    given.push_back(ledger.take_own(0.0));
  }
  EXPECT_EQ(given, (std::vector<sweep::IdRange>{{0, 1}, {5, 6}, {6, 7}}));
  EXPECT_TRUE(ledger.release().empty());
  EXPECT_EQ(ledger.take_own(0.0), (sweep::IdRange{}));
}

TEST(HandOut, StopsAtTheFailureBeyondWhatIsAllowed) {
  HandOut ledger({.missing = IdSet({{0, 100}}), .most_failures = 2}, 2, {});
  Request request;
  request.by_status[failed] = 2;
  ledger.add(request);
  EXPECT_EQ(ledger.answer(1, {})->kind, Answer::Kind::work);
  request.by_status[failed] = 1;
  ledger.add(request);
  EXPECT_EQ(ledger.answer(1, {})->kind, Answer::Kind::over);
  EXPECT_EQ(ledger.stopped(), StopReason::failures);
}

// Whatever the order in which workers report; of two as fast ones the smaller config.
TEST(HandOut, KnowsTheFastestRowOfAllWorkers) {
  std::vector<Best> reports{{10.0, 7}, {}, {30.0, 9}, {30.0, 5}, {20.0, 1}};
  for (int order = 0; order < 5; ++order) {
    HandOut ledger({.missing = IdSet({{0, 10}})}, 3, {});
    EXPECT_EQ(ledger.progress().best.rate, 0.0);
    for (const Best& best : reports) ledger.add({.best = best});
    EXPECT_EQ(ledger.progress().best.rate, 30.0);
    EXPECT_EQ(ledger.progress().best.config, 5u);
    std::rotate(reports.begin(), reports.begin() + 1, reports.end());
  }
}

TEST(HandOut, HasNotStoppedEarlyWhenNothingIsLeft) {
  HandOut ledger({.missing = IdSet({{0, 1}})}, 2, {});
  EXPECT_EQ(ledger.answer(1, {})->kind, Answer::Kind::work);
  ledger.stop(StopReason::signal);
  EXPECT_EQ(ledger.stopped(), StopReason::none);
  ledger.stop(StopReason::gave_up);  // what was handed out stays undone
  EXPECT_EQ(ledger.stopped(), StopReason::gave_up);
}

TEST(HandOut, SendsEverybodyHomeOnAStop) {
  HandOut ledger({.missing = IdSet({{0, 1}}), .suspects = {5}}, 3, {});
  EXPECT_EQ(ledger.answer(1, {})->kind, Answer::Kind::work);
  EXPECT_FALSE(ledger.answer(2, idle));
  ledger.stop(StopReason::time_budget);
  const auto released = ledger.release();
  ASSERT_EQ(released.size(), 1u);
  EXPECT_EQ(released[0].second.kind, Answer::Kind::over);
  EXPECT_EQ(released[0].second.stopped, StopReason::time_budget);
}

}  // namespace
}  // namespace echo::parallel
