// Gradients and weights of frameworks that do not scatter the one or gather the other.
#include "workload/traffic/owned_tensors.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/data_traffic.hpp"
#include "tests/support/fixtures.hpp"
#include "training/layout/weight_tensors.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using training::GradientExchange;
using training::TrainingConfig;
using training::WeightReturn;
using training::ZeroStage;

constexpr std::int32_t microbatches = 4;

Workload traced(std::int32_t data, std::int32_t zero_group, const training::FrameworkSpec& framework) {
  TrainingConfig c = support::a_config({.data = data});
  c.batch.global_samples = microbatches * data;
  c.zero = ZeroStage::optimizer;
  c.zero_group = zero_group;
  c.overlap.grad_reduce = true;
  const training::ModelSpec m = support::tiny_llama();
  Workload out;
  generate_workload(c, m, framework, support::eight_gpu_nodes(), support::layout_of(c, m), Backward::whole,
                    out);
  return out;
}

std::int64_t calls(const Workload& w, CollectiveKind kind) {
  std::int64_t count = 0;
  for (const WorkRun& run : w.tail.update.value)
    if (!run.is_kernel && w.collectives[at(run.work) - w.kernels.size()].kind == kind) count += run.count;
  return count;
}

TEST(OwnedTensors, FewRanksSendOneMessageEachAndManyOneATensor) {
  training::FrameworkSpec framework = support::plain_framework();
  framework.weight_return = WeightReturn::broadcast;
  // Two tables, eight layers of two and three matrices; two norms a layer and the last one.
  constexpr std::int64_t matrices = 2 + 8 * 5, vectors = 8 * 2 + 1;
  EXPECT_EQ(calls(traced(8, 0, framework), CollectiveKind::broadcast), 8);
  EXPECT_EQ(calls(traced(32, 0, framework), CollectiveKind::broadcast), 32);
  EXPECT_EQ(calls(traced(48, 0, framework), CollectiveKind::broadcast), 48);
  EXPECT_EQ(calls(traced(512, 0, framework), CollectiveKind::broadcast), matrices + vectors);
  EXPECT_EQ(calls(traced(512, 8, framework), CollectiveKind::broadcast), 8)
      << "owners are those of a shard group";
  EXPECT_EQ(calls(traced(512, 8, framework), CollectiveKind::all_gather), 0);
}

TEST(OwnedTensors, BroadcastsBringWhatAGatherBrings) {
  training::FrameworkSpec framework = support::plain_framework();
  for (const std::int32_t data : {2, 8, 32}) {
    framework.weight_return = WeightReturn::all_gather;
    const std::int64_t gathered =
        support::bytes_per_step(traced(data, 0, framework), microbatches)[CollectiveKind::all_gather];
    framework.weight_return = WeightReturn::broadcast;
    const std::int64_t sent =
        support::bytes_per_step(traced(data, 0, framework), microbatches)[CollectiveKind::broadcast];
    EXPECT_GT(gathered, 0);
    EXPECT_LE(sent, gathered);
    EXPECT_GT(sent, gathered - data) << "but for what does not divide";
  }
}

TEST(GradientExchange, SumsForAllReplaceScatteredSumsAndThoseOfReplicas) {
  training::FrameworkSpec framework = support::plain_framework();
  const auto sent = [&](GradientExchange exchange) {
    framework.gradient_exchange = exchange;
    return support::bytes_per_step(traced(64, 8, framework), microbatches);
  };
  const auto scattered = sent(GradientExchange::reduce_scatter),
             everywhere = sent(GradientExchange::all_reduce), owners = sent(GradientExchange::reduce);
  const std::int64_t all = scattered[CollectiveKind::reduce_scatter];
  EXPECT_GT(all, 0);
  EXPECT_EQ(everywhere[CollectiveKind::all_reduce], all);
  EXPECT_EQ(everywhere[CollectiveKind::reduce_scatter], 0);
  EXPECT_EQ(owners[CollectiveKind::reduce], all);
  EXPECT_EQ(owners[CollectiveKind::all_reduce], scattered[CollectiveKind::all_reduce])
      << "sums over replicas";
}

}  // namespace
}  // namespace echo::workload
