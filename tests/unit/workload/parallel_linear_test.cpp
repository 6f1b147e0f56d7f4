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
  const std::int64_t sums = 2 * layers * tokens * hidden / 2;  // read whole, written once
  EXPECT_EQ(copied(sharing(2, true), true), sums + tokens * hidden);
}

TEST(SamplesOutermost, NothingIsCopiedOtherwise) {
  EXPECT_EQ(copied(sharing(2), false), 0);
  EXPECT_EQ(copied(sharing(1), true), 0);
}

}  // namespace
}  // namespace echo::workload
