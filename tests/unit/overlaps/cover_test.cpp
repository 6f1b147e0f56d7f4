#include "overlaps/cover.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace echo::overlaps {
namespace {

// Each nanosecond by itself.
std::int64_t slow_twin(const std::vector<Span>& spans, std::int64_t lanes, std::int64_t begin,
                       std::int64_t end) {
  std::int64_t covered = 0;
  for (std::int64_t time = begin; time < end; ++time) {
    std::set<std::int64_t> busy;
    for (const Span& span : spans)
      if (span.begin <= time && time < span.end) busy.insert(span.lane);
    if (std::ssize(busy) >= lanes) ++covered;
  }
  return covered;
}

TEST(Cover, CountsWhatOneLaneOrTwoCover) {
  const std::vector<Span> spans{{10, 20, 7}, {15, 30, 7}, {18, 25, 8}, {40, 50, 8}};
  const Cover one(spans, 1), two(spans, 2);
  EXPECT_EQ(one.within(0, 100), 30);
  EXPECT_EQ(one.within(12, 45), 23);
  EXPECT_EQ(one.within(30, 40), 0);
  EXPECT_EQ(two.within(0, 100), 7);
  EXPECT_EQ(two.within(20, 22), 2);
  EXPECT_EQ(two.within(22, 20), 0);
}

TEST(Cover, OfNothingIsNothing) {
  EXPECT_EQ(Cover({}, 1).within(-5, 5), 0);
  EXPECT_EQ(Cover({{5, 5, 1}}, 1).within(0, 10), 0);
}

TEST(Cover, EqualsCountingEachNanosecond) {
  std::mt19937_64 random(22);
  for (int round = 0; round < 400; ++round) {
    const auto draw = [&](std::int64_t below) { return static_cast<std::int64_t>(random() % below); };
    std::vector<Span> spans(random() % 12);
    for (Span& span : spans) {
      span.begin = draw(60);
      span.end = span.begin + draw(25);
      span.lane = draw(4);
    }
    const auto lanes = static_cast<std::int32_t>(1 + draw(3));
    const Cover cover(spans, lanes);
    for (int asked = 0; asked < 20; ++asked) {
      const std::int64_t begin = draw(80) - 10, end = begin + draw(50);
      ASSERT_EQ(cover.within(begin, end), slow_twin(spans, lanes, begin, end)) << round;
    }
    // What is covered is a sum over parts, and no more than the time itself.
    const std::int64_t cut = draw(90);
    EXPECT_EQ(cover.within(0, 90), cover.within(0, cut) + cover.within(cut, 90));
    EXPECT_LE(cover.within(0, 90), 90);
  }
}

}  // namespace
}  // namespace echo::overlaps
