#include "trace_io/model/dependency_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/counter_rng.hpp"

namespace echo::trace_io {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

NamedDependencies random_graph(std::uint64_t seed) {
  NamedDependencies out;
  auto pick = [&, n = std::uint64_t{0}](std::uint64_t below) mutable { return draw(seed, 1, n++) % below; };
  const auto count = static_cast<std::int64_t>(2 + pick(12));
  for (std::int64_t i = 0; i < count; ++i) out.ids.push_back(i * 7 % 101);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::uint64_t k = pick(3); k > 0; --k)
      out.needs.push(out.ids[pick(static_cast<std::uint64_t>(count))]);
    for (std::uint64_t k = pick(2); k > 0; --k)
      out.follows.push(out.ids[pick(static_cast<std::uint64_t>(count))]);
    out.needs.close_row(), out.follows.close_row();
  }
  return out;
}

// The same by looking at every node again each time; nothing where needs run in a circle.
std::optional<std::vector<std::int32_t>> naive_order(const NamedDependencies& named) {
  std::vector<std::int32_t> out;
  std::set<std::int64_t> placed;
  const auto done = [&](std::span<const std::int64_t> ids) {
    return std::all_of(ids.begin(), ids.end(), [&](std::int64_t id) { return placed.contains(id); });
  };
  while (out.size() < named.ids.size()) {
    std::int32_t next = -1;
    for (const bool whole : {true, false})
      for (std::int32_t i = 0; next < 0 && i < static_cast<std::int32_t>(named.ids.size()); ++i)
        if (!placed.contains(named.ids[static_cast<std::size_t>(i)]) && done(named.needs.row(i)) &&
            (!whole || done(named.follows.row(i))))
          next = i;
    if (next < 0) return std::nullopt;
    out.push_back(next);
    placed.insert(named.ids[static_cast<std::size_t>(next)]);
  }
  return out;
}

TEST(DependencyOrder, IsThatOfTheNaiveTwin) {
  int circles = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const NamedDependencies named = random_graph(seed);
    std::vector<Misplaced> problems;
    const DependencyOrder found = put_in_order(named, problems);
    const auto expected = naive_order(named);
    circles += expected ? 0 : 1;
    ASSERT_EQ(problems.empty(), expected.has_value());
    if (expected) {
      ASSERT_EQ(found.order, *expected);
    }
  }
  EXPECT_GT(circles, 100);
  EXPECT_LT(circles, 1900);
}

TEST(DependencyOrder, LeavesOutWhatOnlyFollows) {
  NamedDependencies named;
  named.ids = {1, 2};
  named.needs.close_row(), named.needs.push(1), named.needs.close_row();    // 2 needs 1
  named.follows.push(2), named.follows.push(9), named.follows.close_row();  // 1 follows 2, and 9
  named.follows.close_row();
  std::vector<Misplaced> problems;
  const DependencyOrder found = put_in_order(named, problems);
  EXPECT_THAT(problems, IsEmpty());
  EXPECT_THAT(found.order, ElementsAre(0, 1));
  EXPECT_THAT(found.follows.row(0), IsEmpty());
  EXPECT_THAT(found.lost, ElementsAre(0));
}

}  // namespace
}  // namespace echo::trace_io
