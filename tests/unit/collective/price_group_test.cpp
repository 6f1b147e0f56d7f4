#include "collective/price_group.hpp"

#include <gtest/gtest.h>

#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib;

GroupEstimate grouped(const Machine& m, const std::vector<ops::CollectiveQuery>& queries,
                      std::int32_t version = 22703) {
  return price_group(queries, links(m, queries.at(0).group), {}, version, {});
}

std::vector<ops::CollectiveQuery> buckets(std::int32_t n, CollectiveKind kind, std::int64_t bytes,
                                          const machine::GroupSpan& group) {
  return {static_cast<std::size_t>(n), ops::CollectiveQuery{kind, Bytes(bytes), group}};
}

TEST(PriceGroup, OfOneCallIsTheCallByItself) {
  for (const std::int64_t bytes : {8 * kib, 4 * mib, 512 * mib}) {
    const auto one = grouped(h100, buckets(1, CollectiveKind::all_reduce, bytes, span(2, 8)));
    const auto alone = estimate(h100, CollectiveKind::all_reduce, bytes, span(2, 8), 22703);
    EXPECT_EQ(one.time, alone.time);
    EXPECT_EQ(one.each.at(0), alone);
  }
  EXPECT_EQ(grouped(h100, buckets(1, CollectiveKind::all_reduce, 0, span(2, 8))).time, SimTime::zero());
}

TEST(PriceGroup, FourCallsOfAMegabyteDecideAsOneOfFour) {
  // Two H100 nodes, 2.27: by itself 256 KiB takes the tree's LL128 (below 591 848 bytes); four of them, 1 MiB
  // together, NVLSTree.
  const auto each = grouped(h100, buckets(4, CollectiveKind::all_reduce, 256 * kib, span(2, 8))).each;
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, 256 * kib, span(2, 8), 22703)), "tree");
  EXPECT_EQ(name_of(each.at(0)), "nvls_tree");
  EXPECT_EQ(name_of(each.at(3)), "nvls_tree");
}

TEST(PriceGroup, CallsFourTimesLongerDecideForThemselves) {
  std::vector<ops::CollectiveQuery> queries = buckets(2, CollectiveKind::all_reduce, 16 * kib, span(2, 8));
  queries.push_back({CollectiveKind::all_reduce, Bytes(64 * mib), span(2, 8)});
  const auto out = grouped(h100, queries);
  EXPECT_EQ(name_of(out.each.at(0)), "tree");
  EXPECT_EQ(out.each.at(0).protocol, Protocol::ll);
  EXPECT_EQ(name_of(out.each.at(2)), "nvls_tree");
  queries[2].payload = Bytes(63 * kib);  // below four times: one decision, on 95 KiB
  EXPECT_EQ(grouped(h100, queries).each.at(2).protocol, grouped(h100, queries).each.at(0).protocol);
}

TEST(PriceGroup, PaysOneLaunchAndTheHopsOfOneCallAChannel) {
  // 24 channels: 24 short gathers over eight H100 in one kernel take little more than one of their bytes, 25
  // as long as two in line.
  const auto few = grouped(h100, buckets(24, CollectiveKind::all_gather, 64 * kib, span(1, 8)));
  const auto whole = estimate(h100, CollectiveKind::all_gather, 24 * 64 * kib, span(1, 8), 22703);
  EXPECT_EQ(few.time, whole.time);
  const auto more = grouped(h100, buckets(25, CollectiveKind::all_gather, 64 * kib, span(1, 8)));
  const auto alone = estimate(h100, CollectiveKind::all_gather, 64 * kib, span(1, 8), 22703);
  EXPECT_GT(more.time, few.time);
  EXPECT_LT(more.time, 25 * alone.time);
}

TEST(PriceGroup, SharesItsTimeByBytesAndIsNoLongerThanTheCallsApart) {
  const std::vector<ops::CollectiveQuery> queries{
      {CollectiveKind::reduce_scatter, Bytes(40 * mib), span(4, 8)},
      {CollectiveKind::reduce_scatter, Bytes(20 * mib), span(4, 8)},
      {CollectiveKind::all_gather, Bytes(100 * mib), span(4, 8)}};
  const auto out = grouped(a100, queries, 21803);
  SimTime sum{}, apart{};
  for (std::size_t i = 0; i < queries.size(); ++i) {
    sum += out.each[i].time;
    apart += estimate(a100, queries[i].kind, queries[i].payload.value, span(4, 8), 21803).time;
  }
  EXPECT_NEAR(to_seconds(sum), to_seconds(out.time), 1e-11);
  EXPECT_LT(out.time, apart);
}

}  // namespace
}  // namespace echo::collective::testing
