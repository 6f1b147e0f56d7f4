#include "textbook/given_dimensions.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/unit/textbook/message_programs.hpp"

namespace echo::textbook {
namespace {

using machine::DimensionAlgorithm;
using machine::GivenDimension;
using ops::CollectiveKind;

GivenDimension dimension(DimensionKind kind, std::int32_t size, double gigabytes,
                         DimensionAlgorithm algorithm = DimensionAlgorithm::ring) {
  GivenDimension d;
  d.kind = kind;
  d.size = size;
  d.link = BytesPerSecond(gigabytes * 1e9);
  d.link_latency = std::chrono::nanoseconds(500);
  d.algorithm.fill({algorithm, 0});
  return d;
}

machine::ClusterSpec cluster_of(std::vector<GivenDimension> dimensions) {
  machine::ClusterSpec cluster;
  cluster.scale_up_domain = cluster.gpus_per_node = dimensions.front().size;
  cluster.dimensions.dimensions = std::move(dimensions);
  cluster.dimensions.chunks = 4;
  return cluster;
}

// 4 on a ring, 2 on a mesh of cables, 8 on a switch.
machine::ClusterSpec three_levels() {
  return cluster_of({dimension(DimensionKind::ring, 4, 100), dimension(DimensionKind::fully_connected, 2, 50),
                     dimension(DimensionKind::switched, 8, 25)});
}

machine::GroupSpan group(std::int32_t ranks, std::int32_t stride) {
  return {.ranks = ranks, .nodes = 1, .ranks_per_node = ranks, .stride = stride};
}

std::vector<std::pair<DimensionKind, std::int32_t>> kinds_of(std::int32_t ranks, std::int32_t stride) {
  std::vector<std::pair<DimensionKind, std::int32_t>> out;
  for (const GroupDimension& d : given_dimensions_of(group(ranks, stride), three_levels()))
    out.emplace_back(d.shape.kind, d.shape.size);
  return out;
}

TEST(GivenDimensions, AGroupLiesInThoseThatItsStrideReaches) {
  using Kinds = std::vector<std::pair<DimensionKind, std::int32_t>>;
  constexpr auto ring = DimensionKind::ring, line = DimensionKind::line,
                 mesh = DimensionKind::fully_connected, port = DimensionKind::switched;
  EXPECT_EQ(kinds_of(4, 1), (Kinds{{ring, 4}}));
  EXPECT_EQ(kinds_of(2, 1), (Kinds{{line, 2}}));
  EXPECT_EQ(kinds_of(2, 2), (Kinds{{ring, 2}}));  // every second all around
  EXPECT_EQ(kinds_of(8, 1), (Kinds{{ring, 4}, {mesh, 2}}));
  EXPECT_EQ(kinds_of(16, 4), (Kinds{{mesh, 2}, {port, 8}}));
  EXPECT_EQ(kinds_of(8, 8), (Kinds{{port, 8}}));
  EXPECT_EQ(kinds_of(4, 16), (Kinds{{port, 4}}));
  EXPECT_EQ(kinds_of(64, 1), (Kinds{{ring, 4}, {mesh, 2}, {port, 8}}));
  EXPECT_EQ(kinds_of(6, 1), (Kinds{{port, 6}}));      // fills no dimension evenly
  EXPECT_EQ(kinds_of(128, 1), (Kinds{{port, 128}}));  // larger than the machine
  EXPECT_TRUE(kinds_of(1, 1).empty());
}

TEST(GivenDimensions, ReachEndsWithTheScaleUpDomain) {
  const auto spanned = given_dimensions_of(group(64, 1), three_levels());
  EXPECT_EQ(spanned[0].shape.reach, Reach::scale_up);
  EXPECT_EQ(spanned[1].shape.reach, Reach::scale_out);
  EXPECT_EQ(spanned[0].shape.latency, std::chrono::nanoseconds(500));
  EXPECT_EQ(spanned[2].shape.latency, std::chrono::nanoseconds(1000));  // in and out of the switch
}

SimTime time_of(const machine::ClusterSpec& cluster, CollectiveKind kind, std::int64_t bytes,
                const machine::GroupSpan& span, const ops::GenericSettings& settings = {}) {
  return price_given({.kind = kind, .payload = Bytes(bytes), .group = span}, cluster, settings).estimate.time;
}

TEST(PriceGiven, UsesTheAlgorithmThatTheMachineAsksFor) {
  machine::ClusterSpec one = cluster_of({dimension(DimensionKind::switched, 8, 50)});
  one.dimensions.chunks = 1;
  const SimTime ring = time_of(one, CollectiveKind::all_reduce, 1 << 20, group(8, 1));
  EXPECT_EQ(ring, 14 * (std::chrono::nanoseconds(1000) + Bytes(1 << 17) / BytesPerSecond(50e9)));
  one.dimensions.dimensions[0].algorithm.fill({DimensionAlgorithm::halving_doubling, 0});
  const SimTime halves = time_of(one, CollectiveKind::all_reduce, 1 << 20, group(8, 1));
  EXPECT_EQ(halves, 6 * SimTime(std::chrono::nanoseconds(1000)) +
                        2 * (Bytes(1 << 19) / BytesPerSecond(50e9) + Bytes(1 << 18) / BytesPerSecond(50e9) +
                             Bytes(1 << 17) / BytesPerSecond(50e9)));
  EXPECT_EQ(time_of(one, CollectiveKind::all_reduce, 1 << 20, group(8, 1),
                    {.algorithm = ops::GenericAlgorithm::ring}),
            ring);
}

TEST(PriceGiven, ActiveChunksRunBesideEachOther) {
  machine::ClusterSpec one = cluster_of({dimension(DimensionKind::ring, 8, 50)});
  const SimTime in_turn = time_of(one, CollectiveKind::all_gather, 1 << 20, group(8, 1));
  one.dimensions.active_chunks = 2;
  EXPECT_EQ(2 * time_of(one, CollectiveKind::all_gather, 1 << 20, group(8, 1)), in_turn);
  one.dimensions.sharing = machine::LinkSharing::aware;  // nothing comes of it where links are shared
  const SimTime wire = Bytes((1 << 20) / 8 * 7) / BytesPerSecond(50e9);
  EXPECT_GE(time_of(one, CollectiveKind::all_gather, 1 << 20, group(8, 1)), wire);
}

TEST(PriceGiven, WholeAllReducesTakeLongerThanPieces) {
  machine::ClusterSpec machine = three_levels();
  const SimTime pieces = time_of(machine, CollectiveKind::all_reduce, 1 << 24, group(64, 1));
  machine.dimensions.whole_all_reduce = true;
  EXPECT_GT(time_of(machine, CollectiveKind::all_reduce, 1 << 24, group(64, 1)), 2 * pieces);
}

TEST(PriceGiven, TakesAProgramForGroupsOfItsSize) {
  machine::ClusterSpec one =
      cluster_of({dimension(DimensionKind::switched, 8, 50, DimensionAlgorithm::direct)});
  one.dimensions.chunks = 1;
  const Call call{CollectiveKind::all_reduce, 1 << 20};
  const SimTime direct = time_of(one, call.kind, call.bytes, group(8, 1));
  one.dimensions.programs.push_back(testing::written_out(call, DimensionAlgorithm::ring, 8));
  EXPECT_EQ(time_of(one, call.kind, call.bytes, group(8, 1)),
            time_of(cluster_of({dimension(DimensionKind::switched, 8, 50)}), call.kind, call.bytes,
                    group(8, 1), {.chunks = 1}));
  EXPECT_EQ(time_of(one, CollectiveKind::all_gather, 1 << 20, group(8, 1)) > SimTime::zero(), true);
  EXPECT_NE(time_of(one, call.kind, call.bytes, group(8, 1)), direct);
}

TEST(PriceGiven, ASendPassesTheCablesBetween) {
  const machine::ClusterSpec ring = cluster_of({dimension(DimensionKind::ring, 8, 50)});
  const auto send = [&](std::int32_t stride) {
    return time_of(ring, CollectiveKind::send_recv, 50'000, group(2, stride));
  };
  EXPECT_EQ(send(1), std::chrono::nanoseconds(500 + 1000));
  EXPECT_EQ(send(4), std::chrono::nanoseconds(4 * 500 + 1000));
}

}  // namespace
}  // namespace echo::textbook
