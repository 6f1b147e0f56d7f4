// Whether two workloads are the same, op for op.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "base/at.hpp"
#include "workload/workload.hpp"

namespace echo::support {

inline void expect_equal(const workload::OpGraph& a, const workload::OpGraph& b, std::uint64_t seed) {
  ASSERT_EQ(a.lane, b.lane) << "seed " << seed;
  ASSERT_EQ(a.part, b.part) << "seed " << seed;
  ASSERT_EQ(a.work, b.work) << "seed " << seed;
  ASSERT_EQ(a.needs, b.needs) << "seed " << seed;
  ASSERT_EQ(a.launches, b.launches) << "seed " << seed;
  ASSERT_EQ(a.looped, b.looped) << "seed " << seed;
  ASSERT_EQ(a.graphs, b.graphs) << "seed " << seed;
  ASSERT_EQ(a.transfers, b.transfers) << "seed " << seed;
}

inline void expect_equal(const workload::Workload& a, const workload::Workload& b, std::uint64_t seed) {
  ASSERT_EQ(a.block_count, b.block_count) << "seed " << seed;
  for (std::int32_t block = 0; block < a.block_count; ++block)
    expect_equal(a.blocks[at(block)], b.blocks[at(block)], seed);
  ASSERT_EQ(a.backwards, b.backwards) << "seed " << seed;
  ASSERT_EQ(a.kernels, b.kernels) << "seed " << seed;
  ASSERT_EQ(a.collectives, b.collectives) << "seed " << seed;
  ASSERT_EQ(a.forward, b.forward) << "seed " << seed;
  ASSERT_EQ(a.backward, b.backward) << "seed " << seed;
  ASSERT_EQ(a.weight_gradients, b.weight_gradients) << "seed " << seed;
  ASSERT_EQ(a.input_gradients, b.input_gradients) << "seed " << seed;
  ASSERT_EQ(a.pairs, b.pairs) << "seed " << seed;
  ASSERT_EQ(a.whole_forward, b.whole_forward) << "seed " << seed;
  ASSERT_EQ(a.whole_backward, b.whole_backward) << "seed " << seed;
  ASSERT_EQ(a.first_forward, b.first_forward) << "seed " << seed;
  ASSERT_EQ(a.last_backward, b.last_backward) << "seed " << seed;
  ASSERT_EQ(a.gathers_each, b.gathers_each) << "seed " << seed;
  ASSERT_EQ(a.gathers_once, b.gathers_once) << "seed " << seed;
  ASSERT_EQ(a.tail.gradients, b.tail.gradients) << "seed " << seed;
  ASSERT_EQ(a.tail.grad_norm, b.tail.grad_norm) << "seed " << seed;
  ASSERT_EQ(a.tail.slices, b.tail.slices) << "seed " << seed;
  ASSERT_EQ(a.tail.update, b.tail.update) << "seed " << seed;
  ASSERT_EQ(a.hop_within, b.hop_within) << "seed " << seed;
  ASSERT_EQ(a.hop_across, b.hop_across) << "seed " << seed;
  ASSERT_EQ(a.hop_gather, b.hop_gather) << "seed " << seed;
}

}  // namespace echo::support
