// What a layout with samples outermost costs beside the collectives, counted by hand.
#include "workload/layer/parallel_linear.hpp"

#include <gtest/gtest.h>

#include "tests/support/traced_workload.hpp"

namespace echo::workload {
namespace {

using ops::KernelKind;
using support::for_every_op;
using support::traced;

constexpr std::int64_t tokens = 1024, hidden = 1024;

training::TrainingConfig sharing(std::int32_t tensor, bool overlaps = false) {
  training::TrainingConfig c = support::a_config({.tensor = tensor});
  c.sequence_parallel = tensor > 1;
  c.overlap.tensor = overlaps;
  return c;
}

// Elements that passes beside collectives read and write, in the forward passes of a microbatch.
std::int64_t copied(const training::TrainingConfig& c, bool samples_outermost) {
  training::FrameworkSpec f = support::plain_framework();
  f.samples_outermost = samples_outermost;
  const Workload w = traced(c, support::tiny_llama(), f);
  std::int64_t elements = 0;
  for_every_op(w, w.forward, [&](int count, Lane lane, TimeCategory part, std::size_t work) {
    if (lane == Lane::compute && part == TimeCategory::tp_comm &&
        w.kernels[work].kind == KernelKind::elementwise)
      elements += std::int64_t{count} * w.kernels[work].m * w.kernels[work].n;
  });
  return elements;
}

TEST(SamplesOutermost, EveryGatheredAndScatteredTensorIsCopied) {
  const std::int64_t layers = support::tiny_llama().layers;
  // Two gathers and two sums a layer; the embedding's sum and the gather before the head.
  EXPECT_EQ(copied(sharing(2), true), (4 * layers + 2) * tokens * hidden);
}

TEST(SamplesOutermost, OverlappedProductsOnlyAddUpWhatArrives) {
  const std::int64_t layers = support::tiny_llama().layers;
  const std::int64_t sums = 2 * layers * tokens * hidden * 3 / 4;  // what came is read whole, half as much written
  EXPECT_EQ(copied(sharing(2, true), true), sums + tokens * hidden);
}

TEST(SamplesOutermost, NothingIsCopiedOtherwise) {
  EXPECT_EQ(copied(sharing(2), false), 0);
  EXPECT_EQ(copied(sharing(1), true), 0);
}

struct Multiplied {
  double flops = 0.0;
  int products = 0;
  double scattered = 0.0;
};
Multiplied forward_of(const training::TrainingConfig& c) {
  const Workload w = traced(c, support::tiny_llama(), support::plain_framework());
  Multiplied out;
  for_every_op(w, w.forward, [&](int count, Lane lane, TimeCategory, std::size_t work) {
    if (lane == Lane::compute && w.kernels[work].kind == KernelKind::gemm) {
      out.flops += count * ops::flops_of(w.kernels[work]).value;
      out.products += count;
    }
    const std::size_t collective = work - w.kernels.size();
    if (lane == Lane::tensor && w.collectives[collective].kind == ops::CollectiveKind::reduce_scatter)
      out.scattered += static_cast<double>(count * w.collectives[collective].payload.value);
  });
  return out;
}

// Cut into parts, products compute the same and send the same.
TEST(OverlappedProducts, PartsAddUpToTheWhole) {
  for (const std::int32_t tensor : {2, 4}) {
    const Multiplied whole = forward_of(sharing(tensor)), parts = forward_of(sharing(tensor, true));
    EXPECT_DOUBLE_EQ(parts.flops, whole.flops);
    EXPECT_DOUBLE_EQ(parts.scattered, whole.scattered);
    EXPECT_EQ(parts.products - whole.products, 4 * support::tiny_llama().layers);  // one more for each linear
  }
}

// The last part of a ring waits for the gather, and a quarter of the sum is sent after the last product.
TEST(OverlappedProducts, LastPartsStayExposed) {
  const Workload w = traced(sharing(2, true), support::tiny_llama(), support::plain_framework());
  std::int64_t last_parts = 0;
  for (const ops::CollectiveQuery& query : w.collectives)
    last_parts +=
        query.kind == ops::CollectiveKind::reduce_scatter && query.payload.value == tokens * hidden * 2 / 4;
  EXPECT_EQ(last_parts, 1);
}

}  // namespace
}  // namespace echo::workload
