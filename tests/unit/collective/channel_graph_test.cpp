#include "collective/channel_graph.hpp"

#include <gtest/gtest.h>

namespace echo::collective {
namespace {

NodeLinks node(std::int32_t cc, double data_sheet) {
  return {
      .compute_capability = cc, .ranks = 8, .multi_node = false, .nvlink = counted_nvlink(cc, data_sheet)};
}

NodeLinks with_rails(NodeLinks n, std::int32_t rails, double rate) {
  n.multi_node = true;
  n.rails = rails;
  n.rail = rate;
  return n;
}

void expect_graph(const ChannelGraph& g, std::int32_t channels, double speed) {
  EXPECT_EQ(g.channels, channels);
  EXPECT_DOUBLE_EQ(g.intra, speed);
}

// The channel counts and speeds that public NCCL logs print for these machines.
TEST(ChannelGraph, OneNodeRingsMatchPublicLogs) {
  expect_graph(ring_graph(node(80, 300)), 12, 20);
  expect_graph(ring_graph(node(90, 450)), 12, 30);
  expect_graph(ring_graph(node(90, 200)), 8, 20);
  expect_graph(ring_graph(node(100, 900)), 16, 45);
}

TEST(ChannelGraph, NetworkRingsTakeOneChannelPerRail) {
  expect_graph(ring_graph(with_rails(node(80, 300), 8, 25)), 8, 24);
  expect_graph(ring_graph(with_rails(node(90, 450), 8, 50)), 8, 45);
  expect_graph(ring_graph(with_rails(node(80, 300), 4, 12.5)), 4, 12);
}

TEST(ChannelGraph, OneRankPerNodeTakesOneFastChannelNotManySlowOnes) {
  NodeLinks n = with_rails(node(80, 300), 1, 25);
  n.ranks = 1;
  expect_graph(ring_graph(n), 1, 24);
}

TEST(ChannelGraph, EveryChannelRunsAsTwoBlocks) {
  const NodeLinks one = node(90, 450), two = with_rails(one, 8, 50);
  EXPECT_EQ(communicator_channels(one, ring_graph(one)), 24);
  EXPECT_EQ(communicator_channels(two, ring_graph(two)), 16);
}

TEST(ChannelGraph, NvlsGivesEachGpuOneHead) { expect_graph(nvls_graph(node(90, 450)), 8, 40); }

TEST(ChannelGraph, NeverAsksMoreOfALinkThanItHas) {
  for (const std::int32_t cc : {80, 90, 100}) {
    for (double nvlink = 20; nvlink < 1000; nvlink *= 1.3) {
      for (double rail = 0.5; rail < 200; rail *= 1.7) {
        NodeLinks n = with_rails(node(cc, nvlink), 8, rail);
        const ChannelGraph g = ring_graph(n);
        EXPECT_GE(g.channels, 1);
        EXPECT_LE(g.channels * g.inter, 8 * rail * (1 + 1e-9));
        EXPECT_LE(g.channels * g.intra, n.nvlink * (1 + 1e-9));
      }
    }
  }
}

}  // namespace
}  // namespace echo::collective
