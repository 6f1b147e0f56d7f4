// What every topology owes: a new file in topologies/ is held to it for nothing.
#include <gtest/gtest.h>

#include <string>

#include "machine/topology.hpp"
#include "tests/support/network_load.hpp"

namespace echo::machine {
namespace {

ClusterSpec cluster(std::int32_t gpus, std::int32_t nics) {
  ClusterSpec c;
  c.gpus_per_node = gpus;
  c.scale_up_domain = gpus;
  c.nics_per_node = nics;
  c.scale_up = {BytesPerSecond(450e9), SimTime(100'000)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(130'000)};
  c.oversubscription = 2.0;
  c.nodes_per_leaf = 4;
  return c;
}

GroupSpan span(std::int32_t nodes, std::int32_t per_node, std::int32_t stride, std::int32_t sharing) {
  return {.ranks = nodes * per_node,
          .nodes = nodes,
          .ranks_per_node = per_node,
          .stride = stride,
          .sharing = sharing};
}

class EveryTopology : public ::testing::TestWithParam<const Topology*> {
 protected:
  // A given fabric is told by its file; this one joins six nodes by rails.
  [[nodiscard]] GroupLinks links(const GroupSpan& span, ClusterSpec c, const GpuSpec& gpu) const {
    if (std::string(GetParam()->name) == "file") c = network::with_given_rails(c, 6);
    GroupLinks worst = GetParam()->links(span, Traffic::neighbours, c, gpu);
    const GroupLinks other = GetParam()->links(span, Traffic::all_pairs, c, gpu);
    EXPECT_LE(other.scale_out.bandwidth.value, c.scale_out.bandwidth.value * c.nics_per_node);
    EXPECT_EQ(other.nics, worst.nics);
    return worst;
  }
  GpuSpec gpu_ = [] {
    GpuSpec g;
    g.compute_capability = 90;
    return g;
  }();
};

TEST_P(EveryTopology, SaysWhoItIs) {
  EXPECT_NE(std::string(GetParam()->name), "");
  EXPECT_NE(std::string(GetParam()->source), "");
}

TEST_P(EveryTopology, KeepsANodeToItself) {
  const ClusterSpec c = cluster(8, 8);
  const GroupLinks found = links(span(1, 8, 1, 1), c, gpu_);
  EXPECT_EQ(found.scale_up, c.scale_up);
  EXPECT_EQ(found.scale_out.bandwidth.value, 0.0);
  EXPECT_EQ(found.nics, 0);
}

TEST_P(EveryTopology, IsNeverFasterThanTheClustersOwnLinks) {
  for (const std::int32_t nics : {1, 2, 4, 8, 16}) {
    const ClusterSpec c = cluster(8, nics);
    for (const std::int32_t per_node : {1, 2, 4, 8}) {
      for (const std::int32_t sharing : {1, 8 / per_node}) {
        const GroupLinks found = links(span(6, per_node, 8 / per_node, sharing), c, gpu_);
        EXPECT_LE(found.scale_up.bandwidth, c.scale_up.bandwidth);
        EXPECT_LE(found.scale_out.bandwidth.value, 50e9 * nics);
        EXPECT_LE(sharing * found.scale_out.bandwidth.value, 50e9 * std::max(nics, 1) * (1 + 1e-12));
        EXPECT_GT(found.scale_out.bandwidth.value, 0.0);
        EXPECT_GE(found.scale_out.latency, c.scale_out.latency);
        EXPECT_GE(found.nics, 1);
      }
    }
  }
}

TEST_P(EveryTopology, GivesSiblingsTheirFairShare) {
  const ClusterSpec scarce = cluster(8, 4);
  const double alone = links(span(2, 1, 8, 1), scarce, gpu_).scale_out.bandwidth.value;
  const double crowded = links(span(2, 1, 8, 8), scarce, gpu_).scale_out.bandwidth.value;
  EXPECT_DOUBLE_EQ(alone, 2.0 * crowded);
}

TEST_P(EveryTopology, DependsOnTheShapeOnly) {
  const ClusterSpec c = cluster(8, 8);
  for (const std::int32_t nodes : {2, 4, 32}) {
    const GroupSpan s = span(nodes, 8, 1, 1);
    EXPECT_EQ(links(s, c, gpu_), links(s, c, gpu_));
  }
}

TEST_P(EveryTopology, NeverGainsByOversubscription) {
  ClusterSpec tight = cluster(8, 8), loose = tight;
  tight.oversubscription = 4.0;
  loose.oversubscription = 1.0;
  for (const std::int32_t nodes : {2, 4, 5, 64}) {
    const GroupSpan s = span(nodes, 8, 1, 1);
    EXPECT_LE(links(s, tight, gpu_).scale_out.bandwidth, links(s, loose, gpu_).scale_out.bandwidth);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryTopology,
                         ::testing::ValuesIn(topology_table().begin(), topology_table().end()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace echo::machine
