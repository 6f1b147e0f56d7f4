// How messages travel in pieces: protocols of peers, chunks of trees and of NVLink SHARP.
#include <gtest/gtest.h>

#include "collective/nvls_chunk.hpp"
#include "collective/p2p.hpp"
#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20, gib = 1 << 30;

Communicator eight_h100(std::int32_t version, std::int32_t nodes = 1) {
  return set_up(span(nodes, 8), links(h100, span(nodes, 8)), {}, version);
}

Protocol protocol_of(const Machine& m, std::int64_t bytes, std::int32_t ranks, std::int32_t version) {
  return estimate(m, CollectiveKind::all_to_all, bytes, span(1, ranks), version).protocol;
}

// 36 channels a pair of H100 would like, 32 there are: from 2.23 to 2.28 LL goes up to 32 * 16 KiB a peer.
// Published runs show it: on 8 A100 (2.27.3) 4 MiB take 64 us and 8 MiB 68 us; on 8 B200 4 MiB take 35 us
// under 2.27 and 2.28 and 25 us under 2.29.
TEST(PeerProtocol, LowLatencyReachesFarFrom223To228) {
  for (const Machine& m : {a100, h100, b200}) {
    EXPECT_EQ(protocol_of(m, 4 * mib, 8, 22703), Protocol::ll);
    EXPECT_EQ(protocol_of(m, 8 * mib, 8, 22703), Protocol::simple);
    EXPECT_EQ(protocol_of(m, mib, 2, 22304), Protocol::ll);
    for (const std::int32_t version : {21803, 22105, 22902}) {
      EXPECT_EQ(protocol_of(m, 4 * mib, 8, version), Protocol::simple);
      EXPECT_EQ(protocol_of(m, 8 * 16 * kib, 8, version), Protocol::ll);
      EXPECT_EQ(protocol_of(m, 8 * 16 * kib + 8, 8, version), Protocol::simple);
    }
  }
}

// 16 channels times 8 heads: 128 KiB chunks from 64 * 128 * 128 KiB = 1 GiB on, 64 KiB from 64 MiB, 32 KiB
// from 8 MiB.
TEST(NvlsChunk, HalvesForMessagesThatWouldNotFillTheChannels) {
  const Communicator c = eight_h100(22105);
  EXPECT_EQ(nvls_chunk(gib, c), 128.0 * kib);
  EXPECT_EQ(nvls_chunk(512 * mib, c), 64.0 * kib);
  EXPECT_EQ(nvls_chunk(64 * mib, c), 64.0 * kib);
  EXPECT_EQ(nvls_chunk(32 * mib, c), 32.0 * kib);
  EXPECT_EQ(nvls_chunk(4 * mib, c), 16.0 * kib);
}

// A message of 1 GiB in twice the chunk meets half the hand-overs: 16 KiB chunks a channel and head, 4 us
// each at first.
TEST(NvlsWire, PaysAHandOverForEachChunkOfAChannel) {
  const Communicator c = eight_h100(22105);
  NetworkConstants k, none;
  none.nvls_step = 1e-9;
  const double message = static_cast<double>(gib);
  EXPECT_NEAR(nvls_wire(message, 65536.0, c, k).us - nvls_wire(message, 65536.0, c, none).us, 128 * 4.0,
              1e-3);
  EXPECT_NEAR(nvls_wire(message, 131072.0, c, k).us - nvls_wire(message, 131072.0, c, none).us, 64 * 4.0,
              1e-3);
}

// The head of a slice has a NIC to itself, its 16 channels share it: 128 KiB at 50 / 16 GB/s are 42 us a hop.
TEST(NvlsTree, StoresAndForwardsAtTheRateOfAHeadsChannel) {
  NetworkConstants k, none;
  k.network_rate = none.network_rate = 1.0;
  none.chunk_ramp = 1e-9;
  const auto at = [](const NetworkConstants& constants) {
    return to_microseconds(
        estimate(h100, CollectiveKind::all_reduce, 64 * mib, span(2, 8), 22304, {}, constants).time);
  };
  EXPECT_NEAR(at(k) - at(none), 2 * 131072.0 / (50e3 / 16), 0.1);
}

// LL's lines wait at each level of the tree for every channel; the other protocols once, half as long.
TEST(Tree, WaitsForThePostingOfItsChannels) {
  NetworkConstants slow;
  slow.network_post += 1.0;
  const auto wait = [&](std::int64_t bytes, std::int32_t nodes, ops::NcclProtocol protocol) {
    const ops::CommSettings tree{.algorithm = ops::NcclAlgorithm::tree, .protocol = protocol};
    const auto at = [&](const NetworkConstants& k) {
      return estimate(a100, CollectiveKind::all_reduce, bytes, span(nodes, 8), 21803, tree, k);
    };
    return to_microseconds(at(slow).time - at({}).time) / at({}).channels;
  };
  EXPECT_NEAR(wait(64 * kib, 2, ops::NcclProtocol::ll), 1.0, 1e-5);
  EXPECT_NEAR(wait(64 * kib, 16, ops::NcclProtocol::ll), 4.0, 1e-5);
  EXPECT_NEAR(wait(mib, 2, ops::NcclProtocol::ll128), 0.5, 1e-5);
  EXPECT_NEAR(wait(mib, 16, ops::NcclProtocol::simple), 0.5, 1e-5);
}

// Several nodes: while the network is busy all the time, what a ring does inside the nodes costs nothing.
TEST(Ring, HidesTheNodesBehindABusyNetwork) {
  NetworkConstants slow;
  slow.intra_hop_simple *= 2.0;
  const ops::CommSettings ring{.algorithm = ops::NcclAlgorithm::ring, .protocol = ops::NcclProtocol::simple};
  const auto at = [&](const NetworkConstants& k, std::int64_t bytes) {
    return to_microseconds(
        estimate(a100, CollectiveKind::all_reduce, bytes, span(4, 8), 22105, ring, k).time);
  };
  EXPECT_LT(at(slow, gib), 1.001 * at({}, gib));
  EXPECT_GT(at(slow, 64 * kib), 1.3 * at({}, 64 * kib));
}

}  // namespace
}  // namespace echo::collective::testing
