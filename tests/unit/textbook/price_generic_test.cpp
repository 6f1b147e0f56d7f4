#include "textbook/price_generic.hpp"

#include <gtest/gtest.h>

#include "textbook/machine_dimensions.hpp"

namespace echo::textbook {
namespace {

using ops::CollectiveKind;
using ops::GenericAlgorithm;

machine::GroupSpan span(std::int32_t nodes, std::int32_t per_node) {
  return {.ranks = nodes * per_node, .nodes = nodes, .ranks_per_node = per_node};
}

machine::ClusterSpec cluster_of(std::string_view topology) {
  machine::ClusterSpec cluster;
  const auto table = machine::topology_table();
  for (std::size_t i = 0; i < table.size(); ++i)
    if (topology == table[i]->name) cluster.topology = machine::TopologyId(static_cast<std::int32_t>(i));
  return cluster;
}

machine::GroupLinks links() {
  machine::GroupLinks l;
  l.scale_up = {BytesPerSecond(450e9), std::chrono::nanoseconds(100)};
  l.scale_out = {BytesPerSecond(400e9), std::chrono::nanoseconds(500)};
  return l;
}

GenericPrice price(CollectiveKind kind, std::int64_t bytes, const machine::GroupSpan& group,
                   const ops::GenericSettings& settings = {}) {
  return price_generic({.kind = kind, .payload = Bytes(bytes), .group = group},
                       dimensions_of(group, links(), cluster_of("rail_optimized")), settings);
}

TEST(DimensionsOf, AreTheNodeAndTheNodes) {
  const auto dimensions = dimensions_of(span(4, 8), links(), cluster_of("rail_optimized"));
  ASSERT_EQ(dimensions.size(), 2u);
  EXPECT_EQ(dimensions[0], (Dimension{DimensionKind::switched, 8, BytesPerSecond(450e9),
                                      std::chrono::nanoseconds(100), Reach::scale_up}));
  EXPECT_EQ(dimensions[1], (Dimension{DimensionKind::switched, 4, BytesPerSecond(50e9),
                                      std::chrono::nanoseconds(500), Reach::scale_out}));
  EXPECT_EQ(dimensions_of(span(1, 8), links(), cluster_of("meshed_nodes")).front().kind,
            DimensionKind::fully_connected);
  EXPECT_EQ(dimensions_of(span(4, 1), links(), cluster_of("rail_optimized")).size(), 1u);
  EXPECT_TRUE(dimensions_of(span(1, 1), links(), cluster_of("rail_optimized")).empty());
}

TEST(DimensionsOf, AGroupThatFillsNodesUnevenlyAreOne) {
  machine::GroupSpan odd = span(2, 8);
  odd.ranks = 12;
  const auto dimensions = dimensions_of(odd, links(), cluster_of("rail_optimized"));
  ASSERT_EQ(dimensions.size(), 1u);
  EXPECT_EQ(dimensions[0].size, 12);
  EXPECT_EQ(dimensions[0].bandwidth, BytesPerSecond(50e9));
}

// 4 x 2 x 2 nodes: a router has six cables for the node's 400 GB/s, two along each dimension.
TEST(DimensionsOf, ATorusAreItsRings) {
  machine::ClusterSpec torus = cluster_of("torus");
  torus.scale_up_domain = torus.gpus_per_node = torus.nics_per_node = 8;
  torus.dims = {2, 2, 4};
  torus.nodes = 16;
  torus.scale_out = {BytesPerSecond(50e9), std::chrono::nanoseconds(500)};
  torus.scale_up = {BytesPerSecond(450e9), std::chrono::nanoseconds(100)};
  const auto links = machine::links_of(span(16, 8), torus, {});
  const auto dimensions = dimensions_of(span(16, 8), links, torus);
  ASSERT_EQ(dimensions.size(), 4u);
  EXPECT_EQ(dimensions[1].kind, DimensionKind::ring);
  EXPECT_EQ(dimensions[1].size, 4);
  EXPECT_EQ(dimensions[3].size, 2);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_NEAR(dimensions[i].bandwidth.value, 50e9 / 3, 1.0);
    EXPECT_EQ(dimensions[i].latency, std::chrono::nanoseconds(500));
  }
  EXPECT_EQ(dimensions_of(span(8, 8), machine::links_of(span(8, 8), torus, {}), torus).size(), 2u);
}

// A flat ring goes over all NICs of a node; all pairs have one each.
TEST(Flattened, CrossesNodesOnAllLinksOnlyAsARing) {
  const auto dimensions = dimensions_of(span(4, 8), links(), cluster_of("rail_optimized"));
  EXPECT_EQ(flattened(dimensions, true).bandwidth, BytesPerSecond(400e9));
  EXPECT_EQ(flattened(dimensions, false).bandwidth, BytesPerSecond(50e9));
  EXPECT_EQ(flattened(dimensions, true).size, 32);
  EXPECT_EQ(flattened(dimensions, true).latency, std::chrono::nanoseconds(500));
}

TEST(PriceGeneric, OfARingInANodeIsItsFormula) {  // 2 * 7 steps of 1/8 GB at 450 GB/s, 100 ns each
  const auto one =
      price(CollectiveKind::all_reduce, 1'000'000'000, span(1, 8), {.algorithm = GenericAlgorithm::ring});
  EXPECT_EQ(one.estimate.time, 14 * (SimTime(277'777'778) + std::chrono::nanoseconds(100)));
  EXPECT_EQ(one.estimate.generic, GenericAlgorithm::ring);
  EXPECT_NEAR(one.estimate.by_scale_up + one.estimate.by_latency, 1.0, 1e-12);
  EXPECT_EQ(one.estimate.by_scale_out, 0.0);
}

TEST(PriceGeneric, ChoosesTheFastest) {
  for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::all_to_all})
    for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{100'000}, std::int64_t{1} << 30}) {
      const auto best = price(kind, bytes, span(4, 8));
      for (std::size_t i = 1; i < ops::generic_algorithm_names.size(); ++i) {
        const auto algorithm = static_cast<GenericAlgorithm>(i);
        EXPECT_LE(best.estimate.time, price(kind, bytes, span(4, 8), {.algorithm = algorithm}).estimate.time);
      }
      EXPECT_EQ(best.estimate, price(kind, bytes, span(4, 8), {.algorithm = best.estimate.generic}).estimate);
    }
}

TEST(PriceGeneric, SetsAsideWhatDoesNotServeTheCall) {
  const auto tree = price(CollectiveKind::all_gather, 1 << 20, span(4, 8),
                          {.algorithm = GenericAlgorithm::double_binary_tree});
  EXPECT_EQ(tree.estimate, price(CollectiveKind::all_gather, 1 << 20, span(4, 8)).estimate);
  EXPECT_NE(tree.estimate.generic, GenericAlgorithm::double_binary_tree);
}

TEST(PriceGeneric, SendsOverTheOutermostLink) {
  EXPECT_EQ(price(CollectiveKind::send_recv, 50'000'000, span(2, 1)).estimate.time,
            std::chrono::nanoseconds(500) + SimTime(125'000'000));  // 400 GB/s to itself
  EXPECT_EQ(price(CollectiveKind::send_recv, 45'000'000, span(1, 2)).estimate.time,
            std::chrono::nanoseconds(100) + std::chrono::microseconds(100));
}

// What must leave a node has all its NICs, 400 GB/s, and what must leave a GPU its NVLink.
TEST(PriceGeneric, NeverBeatsTheWire) {
  using ops::CollectiveKind;
  for (const auto& group : {span(1, 8), span(2, 8), span(16, 8), span(5, 3), span(8, 1)}) {
    const double q = group.ranks_per_node, nodes = group.nodes, n = q * nodes;
    for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{1} << 20, std::int64_t{1} << 32})
      for (const auto kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                              CollectiveKind::reduce_scatter, CollectiveKind::all_to_all})
        for (std::size_t i = 0; i < ops::generic_algorithm_names.size(); ++i) {
          const ops::GenericSettings settings{.algorithm = static_cast<GenericAlgorithm>(i)};
          const double rounds = kind == CollectiveKind::all_reduce ? 2 : 1, size = static_cast<double>(bytes);
          const double from_node = kind == CollectiveKind::all_to_all ? size * q * (n - q) / n
                                                                      : size * rounds * (nodes - 1) / nodes;
          double least = from_node / 400e9;
          if (group.nodes == 1) least = rounds * size * (n - 1) / n / 450e9;
          EXPECT_GE(to_seconds(price(kind, bytes, group, settings).estimate.time), least * (1 - 1e-9))
              << ops::generic_algorithm_names[i];
        }
  }
}

// Where ways share cables, only rings and the hierarchical form know what they get.
TEST(PriceGeneric, LaysNothingFlatOverMeshesButRings) {
  const std::vector<Dimension> meshed{
      {DimensionKind::fully_connected, 8, BytesPerSecond(448e9), std::chrono::nanoseconds(100),
       Reach::scale_up},
      {DimensionKind::ring, 4, BytesPerSecond(50e9), std::chrono::nanoseconds(500), Reach::scale_out}};
  for (std::size_t i = 1; i < ops::generic_algorithm_names.size(); ++i) {
    const auto wanted = static_cast<GenericAlgorithm>(i);
    const auto taken =
        price_generic({.kind = CollectiveKind::all_reduce, .payload = Bytes(1 << 20), .group = span(4, 8)},
                      meshed, {.algorithm = wanted});
    const bool serves = wanted == GenericAlgorithm::hierarchical || wanted == GenericAlgorithm::ring ||
                        wanted == GenericAlgorithm::bidirectional_ring;
    EXPECT_EQ(taken.estimate.generic == wanted, serves) << ops::generic_algorithm_names[i];
  }
  EXPECT_EQ(flattened(meshed, true).bandwidth, BytesPerSecond(64e9));  // one cable of a mesh of seven
}

TEST(PriceGeneric, CostsNothingAlone) {
  EXPECT_EQ(price(CollectiveKind::all_reduce, 1 << 20, span(1, 1)).estimate, ops::CollectiveEstimate{});
  EXPECT_EQ(price(CollectiveKind::all_reduce, 0, span(4, 8)).estimate, ops::CollectiveEstimate{});
}

// Parts are elasticities: twice the NICs' rate takes off half of their share.
TEST(PriceGeneric, DependsOnWhatItSays) {
  const auto group = span(4, 8);
  const ops::GenericSettings settings{.algorithm = GenericAlgorithm::hierarchical, .chunks = 4};
  machine::GroupLinks faster = links();
  faster.scale_out.bandwidth = faster.scale_out.bandwidth * 1.0001;
  const ops::CollectiveQuery query{
      .kind = CollectiveKind::all_reduce, .payload = Bytes(1 << 28), .group = group};
  const auto cluster = cluster_of("rail_optimized");
  const auto before = price_generic(query, dimensions_of(group, links(), cluster), settings).estimate;
  const auto after = price_generic(query, dimensions_of(group, faster, cluster), settings).estimate;
  const double gained = 1.0 - to_seconds(after.time) / to_seconds(before.time);
  EXPECT_NEAR(gained, before.by_scale_out * 1e-4, 1e-6);
  EXPECT_GT(before.by_scale_out, 0.5);
}

}  // namespace
}  // namespace echo::textbook
