// Switches that reduce, RCCL, and kernels beside the library.
#include <gtest/gtest.h>

#include "collective/rccl_tables.hpp"
#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
constexpr ops::CommSettings sharp{.sharp = true}, amd{.library = ops::CommLibrary::rccl};
constexpr ops::CommSettings custom{.kernels = static_cast<std::int32_t>(ops::CommKernel::custom_all_reduce)};
constexpr ops::CommSettings deep{.kernels = static_cast<std::int32_t>(ops::CommKernel::deepep)};
constexpr ops::CommSettings hybrid{.kernels = static_cast<std::int32_t>(ops::CommKernel::hybridep)};

TEST(CollNet, SumsInTheSwitchesOfSixteenA100Nodes) {
  // 2.18, 64 MiB: direct 2 (8 + 7 * .5) + 10.7 + S / (.5 * 8 * 48) = 383 us; chain 2 * 7 * 4.75 + 14 + S /
  // (.5 * 8 * 30) = 640; ring S / (192 * 128 / 254) alone 694. 4 KiB over two nodes: tree LL 25.3,
  // direct 33.7.
  const auto all_reduce = CollectiveKind::all_reduce;
  EXPECT_EQ(name_of(estimate(a100, all_reduce, 64 * mib, span(16, 8), 21803, sharp)), "collnet_direct");
  EXPECT_EQ(name_of(estimate(a100, all_reduce, 64 * mib, span(16, 8), 21803)), "tree");
  EXPECT_EQ(name_of(estimate(a100, all_reduce, 4 * kib, span(2, 8), 21803, sharp)), "tree");
  ops::CommSettings chain = sharp;
  chain.algorithm = ops::NcclAlgorithm::collnet_chain;
  EXPECT_EQ(name_of(estimate(a100, all_reduce, 64 * mib, span(16, 8), 21803, chain)), "collnet_chain");
  EXPECT_EQ(name_of(estimate(a100, all_reduce, 64 * mib, span(1, 8), 21803, chain)), "ring");  // no network
}

TEST(CollNet, JoinsTheNvSwitchesOfHopperNodes) {
  // 2.21, 64 MiB over 4 nodes: NVLS 25 + 18 + S / (8 * 40 * 5/6) = 295 us, direct 2 (3.7 + 7 * .4) + 31 + S /
  // (.5 * .85 * 8 * 48) = 455, NVLSTree 25 + 4 * 14 + S / (8 * 24 * 5/6) = 500.
  const auto e = estimate(h100, CollectiveKind::all_reduce, 64 * mib, span(4, 8), 22105, sharp);
  EXPECT_EQ(name_of(e), "nvls");
  EXPECT_EQ(e.channels, 16);
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, 64 * mib, span(4, 8), 22105)), "nvls_tree");
  EXPECT_LT(e.time, estimate(h100, CollectiveKind::all_reduce, 64 * mib, span(4, 8), 22105).time);
}

TEST(CustomAllReduce, ComesNearVllmsKernels) {
  // ai-dynamo/aiconfigurator, custom_allreduce_perf, vLLM 0.24.0 in CUDA graphs, us.
  const struct {
    std::int32_t gpus;
    std::int64_t bytes;
    double us;
    const char* name;
  } rows[] = {{8, 64 * kib, 7.9, "one_shot"},
              {8, mib, 19.4, "two_shot"},
              {8, 8 * mib, 92.4, "two_shot"},
              {4, 128 * kib, 7.2, "one_shot"},
              {2, 2 * mib, 20.2, "one_shot"}};
  for (const auto& row : rows) {
    const auto e = estimate(h100, CollectiveKind::all_reduce, row.bytes, span(1, row.gpus), 22105, custom);
    EXPECT_EQ(name_of(e), row.name);
    EXPECT_NEAR(to_microseconds(e.time) / row.us, 1.0, 0.2) << row.gpus << " GPUs, " << row.bytes << " bytes";
    EXPECT_EQ(e.channels, 36);
  }
}

TEST(CustomAllReduce, LeavesTheRestToNccl) {
  const auto all_reduce = CollectiveKind::all_reduce;
  EXPECT_EQ(name_of(estimate(h100, all_reduce, 64 * mib, span(1, 8), 22105, custom)), "nvls");
  EXPECT_EQ(name_of(estimate(h100, all_reduce, mib, span(2, 8), 22105, custom)), "nvls_tree");
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_gather, mib, span(1, 8), 22105, custom)), "ring");
  ops::CommSettings forced = custom;  // NCCL_ALGO is read by NCCL alone
  forced.algorithm = ops::NcclAlgorithm::ring, forced.protocol = ops::NcclProtocol::ll;
  EXPECT_EQ(name_of(estimate(h100, all_reduce, mib, span(1, 8), 22105, forced)), "two_shot");
}

TEST(DeepEp, ReachesThePublishedRates) {
  // Bytes over time as its README counts them, own tokens included: 153 and 158 GB/s inside eight H800. To
  // four nodes of H100: 46.1 to 46.5 GB/s leave each NIC.
  const auto inside = estimate(h800, CollectiveKind::all_to_all, gib, span(1, 8), 22105, deep);
  EXPECT_NEAR(gib / to_seconds(inside.time) / 155.5e9, 1.0, 0.05);
  const auto across = estimate(h100, CollectiveKind::all_to_all, gib, span(4, 8), 22105, deep);
  EXPECT_NEAR(0.75 * gib / to_seconds(across.time) / 46.3e9, 1.0, 0.03);
  EXPECT_EQ(across.channels, 20);
  EXPECT_EQ(name_of(across), "deepep");
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, gib, span(4, 8), 22105, deep)), "ring");
}

TEST(HybridEp, ReachesThePublishedRates) {
  // Kernel times of its README, 43.1 to 43.7 GB/s leave each NIC between four and eight nodes of H100;
  // between two 31 to 38. Between eight H100, 0.64 to 0.74 of NVLink, own tokens not counted.
  const auto out_of_a_node = [](std::int32_t nodes, std::int64_t bytes) {
    const auto e = estimate(h100, CollectiveKind::all_to_all, bytes, span(nodes, 1), 22105, hybrid);
    EXPECT_EQ(name_of(e), "hybridep");
    EXPECT_EQ(e.channels, 32);
    return to_seconds(e.time);
  };
  EXPECT_NEAR(0.75 * gib / out_of_a_node(4, gib) / 43.4e9, 1.0, 0.03);
  EXPECT_NEAR(0.5 * gib / out_of_a_node(2, gib) / 34.5e9, 1.0, 0.1);
  const auto inside = estimate(h100, CollectiveKind::all_to_all, gib, span(1, 8), 22105, hybrid);
  EXPECT_NEAR(0.875 * gib / to_seconds(inside.time) / (0.69 * 450e9), 1.0, 0.03);
  EXPECT_NEAR(1e6 * out_of_a_node(2, 1), 80.0, 1.0);  // of one byte: the start
  EXPECT_NE(name_of(estimate(a100, CollectiveKind::all_to_all, gib, span(1, 8), 22105, hybrid)), "hybridep");
}

TEST(Rccl, ChoosesByItsOwnTables) {
  // Eight MI300X, 7 * 48 = 336 GB/s. All-gather: ring LL 12 + 7 * .8 + S / (336 * .08 * 8/7), Simple 17 + 7
  // * 2.1 + S / (336 * 8/7): they meet at 471 KB. No LL128, no NVLS.
  const auto gather = CollectiveKind::all_gather;
  EXPECT_EQ(estimate(mi300x, gather, 450'000, span(1, 8), 22203, amd).protocol, Protocol::ll);
  EXPECT_EQ(estimate(mi300x, gather, 490'000, span(1, 8), 22203, amd).protocol, Protocol::simple);
  const auto all_reduce = CollectiveKind::all_reduce;
  EXPECT_EQ(name_of(estimate(mi300x, all_reduce, mib, span(1, 8), 22203, amd)), "all_pairs");
  EXPECT_EQ(name_of(estimate(mi300x, all_reduce, 64 * mib, span(1, 8), 22203, amd)), "ring");
  EXPECT_EQ(estimate(mi300x, all_reduce, gib, span(1, 8), 22203, amd).channels, 56);
  for (std::int64_t bytes = 64; bytes <= 8 * gib; bytes *= 2)
    for (const auto& group : {span(1, 2), span(1, 4), span(2, 8), span(8, 8)})
      EXPECT_NE(estimate(mi300x, all_reduce, bytes, group, 22203, amd).protocol, Protocol::ll128);
}

}  // namespace
}  // namespace echo::collective::testing
