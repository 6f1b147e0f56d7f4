#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

constexpr std::int64_t mib = 1 << 20, gib = 1 << 30;

TEST(Price, OneRankOrNoBytesCostNothing) {
  EXPECT_EQ(estimate(h100, CollectiveKind::all_reduce, gib, span(1, 1)).time, SimTime::zero());
  EXPECT_EQ(estimate(h100, CollectiveKind::all_gather, 0, span(2, 8)).time, SimTime::zero());
}

TEST(Price, AsksNoMoreThanThreeTimesTheBusOfMemory) {
  // Ring all-reduce: bus bandwidth 2 (n-1)/n S / T, three bytes of HBM each.
  const auto e = estimate(a100, CollectiveKind::all_reduce, gib, span(1, 8), 21805);
  const double bus = 2.0 * 7 / 8 * gib / to_seconds(e.time);
  EXPECT_NEAR(e.memory_rate, 3.0 * bus, 0.001 * e.memory_rate);
  EXPECT_LT(e.memory_rate, 2.0e12);  // below the A100's own HBM rate
}

// HBM bytes over those of the message, by hand from NCCL's device code.
TEST(Price, CountsTheMemoryTrafficOfEachMethod) {
  const auto bytes_a_byte = [](const Machine& m, CollectiveKind kind, const machine::GroupSpan& group,
                               ops::NcclAlgorithm algorithm, std::int32_t version) {
    const auto e = estimate(m, kind, gib, group, version, {.algorithm = algorithm});
    return e.memory_rate * to_seconds(e.time) / gib;
  };
  using enum ops::NcclAlgorithm;
  // Copied in and out (4), read and written by the switch (2); a gather sends its eighth and copies all out.
  EXPECT_NEAR(bytes_a_byte(h100, CollectiveKind::all_reduce, span(1, 8), nvls, 22703), 6.0, 1e-6);
  EXPECT_NEAR(bytes_a_byte(h100, CollectiveKind::all_gather, span(1, 8), nvls, 22703), 3.125, 1e-6);
  EXPECT_NEAR(bytes_a_byte(h100, CollectiveKind::reduce_scatter, span(1, 8), nvls, 22703), 3.125, 1e-6);
  // Eight heads have an eighth each: staged and sent, received and read, up and down the tree of four nodes.
  EXPECT_NEAR(bytes_a_byte(h100, CollectiveKind::all_reduce, span(4, 8), nvls_tree, 22703), 7.0, 1e-6);
  // A ring passes 7/8, or 15/16, 3 times through each HBM; with one GPU per node all that leaves is staged.
  EXPECT_NEAR(bytes_a_byte(a100, CollectiveKind::all_gather, span(1, 8), ring, 21805), 3.0 * 7 / 8, 1e-6);
  EXPECT_NEAR(bytes_a_byte(a100, CollectiveKind::all_gather, span(2, 8), ring, 21805), 3.25 * 15 / 16, 1e-6);
  EXPECT_NEAR(bytes_a_byte(a100, CollectiveKind::all_gather, span(4, 1), ring, 21805), 5.0 * 3 / 4, 1e-6);
  EXPECT_NEAR(bytes_a_byte(a100, CollectiveKind::all_to_all, span(1, 8), automatic, 21805), 4.0 * 7 / 8,
              1e-6);
  EXPECT_NEAR(bytes_a_byte(a100, CollectiveKind::all_to_all, span(2, 8), automatic, 21805),
              4.0 * 15 / 16 + 2.0 * 8 / 16, 1e-6);
}

TEST(Price, SendingAcrossNodesTakesTheNicAndInsideTakesNvlink) {
  const auto inside = estimate(a100, CollectiveKind::send_recv, 64 * mib, span(1, 2));
  const auto across = estimate(a100, CollectiveKind::send_recv, 64 * mib, span(2, 1));
  EXPECT_GE(to_seconds(across.time), 64.0 * mib / 25e9);
  EXPECT_GE(to_seconds(inside.time), 64.0 * mib / 300e9);
  EXPECT_GT(across.time, 8 * inside.time);
}

TEST(Price, NvlsBeatsTheRingItReplaces) {
  const ops::CommSettings ring{.algorithm = ops::NcclAlgorithm::ring};
  EXPECT_LT(estimate(h100, CollectiveKind::all_reduce, gib, span(1, 8)).time,
            estimate(h100, CollectiveKind::all_reduce, gib, span(1, 8), 22105, ring).time);
}

struct Published {
  const char *network, *source;
  Machine machine;
  CollectiveKind kind;
  std::int64_t bytes;
  std::int32_t nodes, per_node, version;
  double us, tolerance;
};

// Single figures of published nccl-tests runs, priced with the catalog's constants. The tolerance is that of
// one log's scatter between like machines.
TEST(Price, ComesNearPublishedRuns) {
  const Published runs[] = {
      {"default-h100", "NVIDIA/dgxc-benchmarking nccl/README.md", h100, CollectiveKind::all_reduce, gib, 1, 8,
       22105, 4029.4, 0.08},
      {"default-h100", "MooreThreads/SimuMax nccl_fit.py", h100, CollectiveKind::all_gather, 256 * mib, 1, 8,
       22105, 730.2, 0.08},
      {"default-h100", "dstackai/dstack nebius.md", h100, CollectiveKind::all_reduce, gib, 2, 8, 22304,
       4512.0, 0.08},
      {"default-h100", "NVIDIA/nccl-tests issue 309", h100, CollectiveKind::all_reduce, gib, 4, 8, 22602,
       5808.8, 0.08},
      {"default-a100", "microsoft/superbenchmark nccl_allreduce.log", a100, CollectiveKind::all_reduce,
       256 * mib, 1, 8, 21003, 2112.2, 0.08},
      {"default-a100", "oracle-quickstart/oci-hpc-oke", a100, CollectiveKind::all_reduce, gib, 2, 8, 21805,
       10887.4, 0.08},
      {"azure-nd-a100-v4", "NetX-lab/Echo nccl-test-log", a100, CollectiveKind::all_reduce, gib, 2, 8, 21805,
       16170.0, 0.08},
      {"azure-nd-a100-v4", "NetX-lab/Echo nccl-test-log", a100, CollectiveKind::all_reduce, 64 * mib, 4, 8,
       21805, 1258.0, 0.12},
      {"default-b200", "ai-dynamo/aiconfigurator nccl 2.29.2", b200, CollectiveKind::all_reduce, 512 * mib, 1,
       8, 22902, 1337.2, 0.08},
      {"default-b200", "ai-dynamo/aiconfigurator nccl 2.29.2", b200, CollectiveKind::reduce_scatter,
       128 * mib, 1, 8, 22902, 208.9, 0.12},
      {"mi300x", "ROCm blog Understanding RCCL Bandwidth and xGMI Performance", mi300x,
       CollectiveKind::all_reduce, gib, 1, 8, 22203, 5970.6, 0.08},
      {"mi300x", "ROCm blog Understanding RCCL Bandwidth and xGMI Performance", mi300x,
       CollectiveKind::all_reduce, 8 * mib, 1, 8, 22203, 83.7, 0.12},
  };
  for (const Published& run : runs) {
    ops::CommSettings settings;
    if (run.network == std::string("mi300x")) settings.library = ops::CommLibrary::rccl;
    const auto e = estimate(run.machine, run.kind, run.bytes, span(run.nodes, run.per_node), run.version,
                            settings, catalog_constants(run.network));
    EXPECT_NEAR(to_microseconds(e.time) / run.us, 1.0, run.tolerance) << run.network << ", " << run.source;
  }
}

// The first piece of a broadcast, half a megabyte a channel, is stored and forwarded at every node; that of
// an all-gather is a rank's share and shrinks as the ring grows.
TEST(Price, ABroadcastGrowsWithEveryNodeOfTheChain) {
  const auto seconds = [](CollectiveKind kind, std::int32_t nodes) {
    return to_seconds(estimate(a100, kind, 100 * mib, span(nodes, 8), 21805).time);
  };
  const double piece = 524288.0 / (200e9 / 8);  // at eight channels over all NICs of a node
  for (const std::int32_t nodes : {8, 16, 32}) {
    EXPECT_GT(seconds(CollectiveKind::broadcast, 2 * nodes) - seconds(CollectiveKind::broadcast, nodes),
              0.8 * nodes * piece);
    EXPECT_GT(seconds(CollectiveKind::broadcast, nodes), 100.0 * mib / 200e9);
  }
}

TEST(NetworkFiles, NameEveryConstantWithASensibleValue) {
  for (const char* name :
       {"default-a100", "default-h100", "default-b200", "default-gb200", "h800", "azure-nd-a100-v4",
        "aws-efa-a100", "aws-efa-h100", "gcp-a3mega", "gcp-a3high", "mi300x"}) {
    const NetworkConstants k = catalog_constants(name);
    for (const auto& field : network_constant_fields()) {
      EXPECT_GT(k.*field.member, 0.0) << name << ' ' << field.name;
      if (std::string(field.name).find("rate") != std::string::npos) {
        EXPECT_LE(k.*field.member, 1.0) << name << ' ' << field.name;
      }
    }
    EXPECT_GE(k.overlap, 1.0) << name;
  }
}

}  // namespace
}  // namespace echo::collective::testing
