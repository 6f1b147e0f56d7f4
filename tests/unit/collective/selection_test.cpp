// NCCL's choices, worked out by hand from its formula in the comments.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/collective/machines.hpp"

namespace echo::collective::testing {
namespace {

constexpr std::int64_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

void expect_choice(const ops::CollectiveEstimate& e, const char* algorithm, Protocol protocol) {
  EXPECT_EQ(name_of(e), algorithm);
  EXPECT_EQ(e.protocol, protocol);
}

TEST(Selection, EightH100TakeLlWhenShortAndNvlsWhenLong) {
  // 8 KiB: ring LL 6.6 + 14 * .6 = 15.0 us before tree LL 6.8 + 14 * .6 = 15.2.
  expect_choice(estimate(h100, CollectiveKind::all_reduce, 8 * kib, span(1, 8)), "ring", Protocol::ll);
  // 64 MiB: NVLS 25 + S / (320 * 5/6) = 277 us, ring Simple 56 + S / (360 * 8/14) = 382.
  expect_choice(estimate(h100, CollectiveKind::all_reduce, 64 * mib, span(1, 8)), "nvls", Protocol::simple);
}

TEST(Selection, LargeGathersStayWithRings) {
  // 256 MiB: NVLS 8 * 40 * 5/6 = 267 GB/s, ring 360 * 8/7 = 411.
  for (const auto kind : {CollectiveKind::all_gather, CollectiveKind::reduce_scatter})
    expect_choice(estimate(h100, kind, 256 * mib, span(1, 8)), "ring", Protocol::simple);
}

TEST(Selection, TwoA100NodesGoTreeLlThenTreeLl128ThenRing) {
  // 1 MiB, 2.18, AMD: tree LL128 14 + 2 (7 * 1.25 + 8.5) + S / (.5 * 160 * .6) = 70 us; tree LL 25 + S / 5.6
  // = 212; ring LL128 14 + 26 * 2 + 4 * 4 + S / 85 = 94.
  expect_choice(estimate(a100, CollectiveKind::all_reduce, 16 * kib, span(2, 8), 21805), "tree",
                Protocol::ll);
  expect_choice(estimate(a100, CollectiveKind::all_reduce, mib, span(2, 8), 21805), "tree", Protocol::ll128);
  expect_choice(estimate(a100, CollectiveKind::all_reduce, gib, span(2, 8), 21805), "ring", Protocol::simple);
}

TEST(Selection, TwoH100NodesJoinTheirSwitchesByATree) {
  expect_choice(estimate(h100, CollectiveKind::all_reduce, gib, span(2, 8)), "nvls_tree", Protocol::simple);
  expect_choice(estimate(h100, CollectiveKind::all_reduce, gib, span(2, 8), 21003), "ring", Protocol::simple);
}

TEST(Selection, OldLibrariesAndAmpereKnowNoNvls) {
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, gib, span(1, 8), 21212)), "ring");
  EXPECT_EQ(name_of(estimate(a100, CollectiveKind::all_reduce, gib, span(1, 8), 22902)), "ring");
}

TEST(Selection, ShortAllToAllsUseLl) {
  EXPECT_EQ(estimate(h100, CollectiveKind::all_to_all, 64 * kib, span(1, 8)).protocol, Protocol::ll);
  EXPECT_EQ(estimate(h100, CollectiveKind::all_to_all, 64 * mib, span(1, 8)).protocol, Protocol::simple);
}

TEST(Overrides, AlgorithmAndProtocolAreObeyedWhereTheyApply) {
  ops::CommSettings s{.algorithm = ops::NcclAlgorithm::tree, .protocol = ops::NcclProtocol::simple};
  expect_choice(estimate(h100, CollectiveKind::all_reduce, 8 * kib, span(1, 8), 22105, s), "tree",
                Protocol::simple);
  s = {.algorithm = ops::NcclAlgorithm::ring};
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, gib, span(1, 8), 22105, s)), "ring");
}

TEST(Overrides, EveryWordOfASweepIsAnAlgorithm) {
  for (std::size_t i = 1; i < ops::nccl_algorithm_names.size(); ++i) {
    const auto id = static_cast<ops::NcclAlgorithm>(i);
    EXPECT_EQ(std::ranges::count(algorithm_table(), id, &Algorithm::id), 1) << ops::name_of(id);
  }
}

TEST(Overrides, WhatServesNoSuchCallIsSetAside) {
  const ops::CommSettings tree{.algorithm = ops::NcclAlgorithm::tree};
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_gather, gib, span(1, 8), 22105, tree)), "ring");
  const ops::CommSettings nvls_ll{.algorithm = ops::NcclAlgorithm::nvls, .protocol = ops::NcclProtocol::ll};
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, gib, span(1, 8), 22105, nvls_ll)), "nvls");
}

TEST(Overrides, VersionOfTheSettingsBeatsTheClusters) {
  const ops::CommSettings old{.nccl_version = 21003};
  EXPECT_EQ(name_of(estimate(h100, CollectiveKind::all_reduce, gib, span(1, 8), 22902, old)), "ring");
}

TEST(Overrides, AllToAllsKeepToTheirOwnLimitAndRingsDoNot) {
  const ops::CommSettings few{.max_p2p_channels = 4};
  EXPECT_EQ(estimate(h100, CollectiveKind::all_to_all, gib, span(1, 8), 22105, few).channels, 4);
  EXPECT_GT(estimate(h100, CollectiveKind::all_to_all, gib, span(1, 8)).channels, 4);
  EXPECT_EQ(estimate(h100, CollectiveKind::all_gather, gib, span(1, 8), 22105, few).channels, 24);
}

TEST(Overrides, ChannelLimitsBindAndFewerChannelsAreSlower) {
  const ops::CommSettings few{.max_channels = 4}, many{.min_channels = 32};
  const ops::CommSettings both{.min_channels = 8, .max_channels = 4};
  const auto narrow = estimate(a100, CollectiveKind::all_reduce, gib, span(1, 8), 21805, few);
  const auto usual = estimate(a100, CollectiveKind::all_reduce, gib, span(1, 8), 21805);
  EXPECT_EQ(narrow.channels, 4);
  EXPECT_EQ(usual.channels, 24);
  EXPECT_EQ(estimate(a100, CollectiveKind::all_reduce, gib, span(1, 8), 21805, many).channels, 32);
  EXPECT_EQ(estimate(a100, CollectiveKind::all_reduce, gib, span(1, 8), 21805, both).channels, 8);
  EXPECT_GT(narrow.time, 3 * usual.time);
}

}  // namespace
}  // namespace echo::collective::testing
