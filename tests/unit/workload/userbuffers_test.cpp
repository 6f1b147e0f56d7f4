#include "workload/layer/userbuffers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/traced_workload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using ops::KernelKind;
using support::for_every_op;
using training::Userbuffers;

constexpr std::int64_t tokens = 1024, hidden = 1024;

training::TrainingConfig overlapping(std::int32_t tensor, Userbuffers cut, bool in_8_bit = false) {
  training::TrainingConfig c = support::a_config({.tensor = tensor});
  c.sequence_parallel = c.overlap.tensor = true;
  c.recipe.userbuffers = cut;
  if (in_8_bit) c.precision = machine::Precision::fp8;
  return c;
}

Workload of(const training::TrainingConfig& c, bool samples_outermost = false) {
  training::FrameworkSpec f = support::plain_framework();
  f.samples_outermost = samples_outermost;
  return support::traced(c, support::tiny_llama(), f);
}

// The SMs set aside for gathers, or scatters, of the forward or the backward passes; -1: the library's
// choice.
std::set<std::int32_t> set_aside(const Workload& w, bool forward, CollectiveKind kind) {
  std::set<std::int32_t> out;
  for_every_op(w, forward ? w.forward : w.backward, [&](int, Lane lane, TimeCategory, std::size_t work) {
    if (lane != Lane::tensor) return;
    const ops::CollectiveQuery& query = w.collectives[work - w.kernels.size()];
    if (query.kind == kind) out.insert(query.set_aside);
  });
  return out;
}

using Sms = std::set<std::int32_t>;

// -1: the embedding's sum and gather, and what the output layer gathers and sums, are NCCL's.
TEST(Userbuffers, DefaultsAre16SmsButRingsOfGathersNone) {
  const Workload w = of(overlapping(2, Userbuffers::defaults));
  EXPECT_EQ(set_aside(w, true, CollectiveKind::all_gather), (Sms{-1, 0}));
  EXPECT_EQ(set_aside(w, true, CollectiveKind::reduce_scatter), (Sms{-1, 16}));
  EXPECT_EQ(set_aside(w, false, CollectiveKind::reduce_scatter), (Sms{-1, 16}));
}

TEST(Userbuffers, PresetsGiveEachProductItsOwn) {
  const Workload w = of(overlapping(2, Userbuffers::preset));
  EXPECT_EQ(set_aside(w, true, CollectiveKind::reduce_scatter), (Sms{-1, 16, 24}));
  EXPECT_EQ(set_aside(w, false, CollectiveKind::reduce_scatter), (Sms{-1, 4, 24}));
}

TEST(Userbuffers, RingsOfScattersHoldOneSm) {
  EXPECT_EQ(set_aside(of(overlapping(2, Userbuffers::ring)), true, CollectiveKind::reduce_scatter),
            (Sms{-1, 1}));
  EXPECT_EQ(set_aside(of(overlapping(2, Userbuffers::ring_fc2)), true, CollectiveKind::reduce_scatter),
            (Sms{-1, 1, 24}));
}

TEST(Userbuffers, CopyEnginesOfPytorchHoldNone) {
  const Workload w = of(overlapping(2, Userbuffers::defaults), true);
  EXPECT_EQ(set_aside(w, true, CollectiveKind::reduce_scatter), (Sms{-1, 0}));
}

TEST(Userbuffers, NothingIsSetAsideWithoutOverlap) {
  training::TrainingConfig c = overlapping(2, Userbuffers::preset);
  c.overlap.tensor = false;
  const Workload w = of(c);
  for (const ops::CollectiveQuery& query : w.collectives) EXPECT_LT(query.set_aside, 0);
}

// Products, what they compute and send, and passes that add up, of the forward passes.
struct Multiplied {
  double flops = 0.0, scattered = 0.0;
  int scatters = 0;
  std::int64_t added = 0;
  friend bool operator==(const Multiplied&, const Multiplied&) = default;
};
Multiplied forward_of(const Workload& w) {
  Multiplied out;
  for_every_op(w, w.forward, [&](int count, Lane lane, TimeCategory part, std::size_t work) {
    if (lane == Lane::compute) {
      const ops::KernelKey& key = w.kernels[work];
      if (key.kind == KernelKind::gemm) out.flops += count * ops::flops_of(key).value;
      if (part == TimeCategory::tp_comm) out.added += std::int64_t{count} * key.m * key.n;
      return;
    }
    const std::size_t collective = work - w.kernels.size();
    if (lane != Lane::tensor || w.collectives[collective].kind != CollectiveKind::reduce_scatter) return;
    out.scattered += static_cast<double>(count * w.collectives[collective].payload.value);
    out.scatters += count;
  });
  return out;
}

// A ring computes and sends the same; it reads what came of each part, and writes its own.
TEST(Userbuffers, RingsSendTheSameAndAddUpWhatCame) {
  const std::int32_t layers = support::tiny_llama().layers;
  for (const std::int32_t tensor : {2, 4}) {
    const Multiplied ring = forward_of(of(overlapping(tensor, Userbuffers::ring))),
                     pipeline = forward_of(of(overlapping(tensor, Userbuffers::pipeline)));
    EXPECT_DOUBLE_EQ(ring.flops, pipeline.flops);
    EXPECT_DOUBLE_EQ(ring.scattered, pipeline.scattered);
    EXPECT_EQ(pipeline.scatters - ring.scatters, 2 * layers);  // the last part's
    EXPECT_EQ(ring.added - pipeline.added, 2 * layers * tokens * hidden * (tensor + 1) / (2 * tensor));
  }
}

// The scatter of a ring starts after the first part and is awaited by the pass that adds up, not by the last
// product.
TEST(Userbuffers, RingsMultiplyTheirOwnPartBesideTheLastTransfer) {
  const Workload w = of(overlapping(4, Userbuffers::ring));
  int rings = 0;
  for (const BlockId id : ids<BlockId>(w.block_count)) {
    const OpGraph& block = w.blocks[at(id)];
    for (std::int32_t op = 0; op < block.size(); ++op) {
      if (block.lane[at(op)] != Lane::tensor) continue;
      const ops::CollectiveQuery& query = w.collectives[at(block.work[at(op)]) - w.kernels.size()];
      if (query.set_aside != 1) continue;
      ++rings;
      const auto kernel = [&](std::int32_t i) { return w.kernels[at(block.work[at(i)])]; };
      EXPECT_EQ(kernel(op - 1).batch, 1);
      EXPECT_EQ(kernel(op - 1).m, tokens / 4);
      EXPECT_EQ(kernel(op + 1).batch, 3);
      EXPECT_EQ(kernel(op + 2).kind, KernelKind::elementwise);
    }
  }
  EXPECT_GE(rings, 2);
}

TEST(Userbuffers, PresetsAreRingsOf8BitOperandsAlone) {
  const auto alike = [](Userbuffers a, Userbuffers b, bool in_8_bit) {
    return forward_of(of(overlapping(4, a, in_8_bit))) == forward_of(of(overlapping(4, b, in_8_bit)));
  };
  EXPECT_TRUE(alike(Userbuffers::preset, Userbuffers::pipeline, false));
  EXPECT_TRUE(alike(Userbuffers::preset, Userbuffers::ring, true));
  EXPECT_FALSE(alike(Userbuffers::preset, Userbuffers::pipeline, true));
  EXPECT_FALSE(alike(Userbuffers::ring_fc2, Userbuffers::ring, true));
  EXPECT_FALSE(alike(Userbuffers::ring_fc2, Userbuffers::pipeline, true));
}

// Bytes that forward passes scatter beside products, all ranks' together.
std::int64_t scattered(const training::TrainingConfig& c) {
  const Workload w = of(c);
  std::int64_t bytes = 0;
  for_every_op(w, w.forward, [&](int runs, Lane lane, TimeCategory, std::size_t work) {
    if (lane != Lane::tensor) return;
    const ops::CollectiveQuery& query = w.collectives[work - w.kernels.size()];
    if (query.kind == CollectiveKind::reduce_scatter && query.set_aside >= 0)
      bytes += runs * query.payload.value;
  });
  return bytes;
}

TEST(Userbuffers, ScattersIn8BitCarryHalfOfTheBytes) {
  using training::Fp8Scatters;
  for (const Userbuffers cut : {Userbuffers::pipeline, Userbuffers::ring}) {
    training::TrainingConfig c = overlapping(2, cut, true);
    const std::int64_t whole = scattered(c);
    c.recipe.fp8_scatters = Fp8Scatters::attention;
    EXPECT_EQ(4 * scattered(c), 3 * whole);
    c.recipe.fp8_scatters = Fp8Scatters::all;
    EXPECT_EQ(2 * scattered(c), whole);
    c.precision = machine::Precision::bf16;  // nothing to send in 8 bit
    EXPECT_EQ(scattered(c), whole);
  }
}

}  // namespace
}  // namespace echo::workload
