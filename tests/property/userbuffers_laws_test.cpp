// How overlapped products are cut, and which SMs their transfers hold, on whole steps.
#include <gtest/gtest.h>

#include "simulate/prices/price_work.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using machine::Precision;
using support::presets;
using training::Userbuffers;

// Llama 3 70B on 64 H100 as Megatron-Bridge trains it.
training::TrainingConfig llama(std::int32_t tensor, Precision precision, Userbuffers cut) {
  const Catalog& catalog = presets().catalog;
  training::TrainingConfig c;
  c.model = training::ModelId(support::named(catalog.models, "llama3-70b"));
  c.cluster = machine::ClusterId(support::named(catalog.clusters, "dgx-h100-ndr400"));
  c.framework = training::FrameworkId(support::named(catalog.frameworks, "megatron-bridge"));
  c.recipe = catalog.framework(c).recipe;
  c.degrees = {.tensor = tensor, .pipeline = 4, .data = 16 / tensor};
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  c.batch = {.global_samples = 64, .micro_samples = 1, .sequence_tokens = 8192};
  c.sequence_parallel = c.overlap.tensor = c.flash_attention = true;
  c.zero = training::ZeroStage::optimizer;
  c.precision = precision;
  c.recipe.userbuffers = cut;
  return c;
}

SimTime step_of(const training::TrainingConfig& c) {
  static const Catalog catalog = support::catalog_without_hosts();
  Workspace workspace;
  const StepReport report = simulate(c, catalog, presets().calibration, workspace);
  EXPECT_EQ(report.status, training::Status::ok);
  return report.step;
}

TEST(UserbuffersLaws, SmsSetAsideChangeNoTimeAndNeverAdd) {
  const training::TrainingConfig c = llama(8, Precision::bf16, Userbuffers::defaults);
  PriceMemo memo;
  ops::CollectiveQuery query{.kind = ops::CollectiveKind::reduce_scatter,
                             .payload = Bytes(1 << 26),
                             .group = {.ranks = 8, .nodes = 1, .ranks_per_node = 8}};
  const auto priced = [&] {
    return price_collective(query, c, presets().catalog, presets().calibration, memo);
  };
  const ops::CollectiveEstimate own = priced();
  ASSERT_GT(own.channels, 2);
  for (const std::int32_t sms : {0, 1, 2, own.channels, 1000}) {
    query.set_aside = sms;
    EXPECT_EQ(priced().channels, std::min(sms, own.channels));
    EXPECT_EQ(priced().time, own.time);
  }
}

// A ring hides all of a transfer that takes no longer than the product beside it, as after the feed-forward
// net on NVLink, and a pipeline all but the last part. After attention, whose product is shorter, a ring
// saves less than its sum takes at tp 8.
TEST(UserbuffersLaws, RingsPayWhereTheProductHidesTheTransfer) {
  for (const Precision precision : {Precision::bf16, Precision::fp8})
    for (const std::int32_t tensor : {4, 8}) {
      const auto step = [&](Userbuffers cut) { return step_of(llama(tensor, precision, cut)); };
      EXPECT_LT(step(Userbuffers::ring_fc2), step(Userbuffers::pipeline));
      EXPECT_LT(step(Userbuffers::ring), step(Userbuffers::pipeline));
      EXPECT_LT(step(Userbuffers::pipeline), step(Userbuffers::defaults));
      EXPECT_LT(to_seconds(step(Userbuffers::defaults)), 1.05 * to_seconds(step(Userbuffers::ring)));
    }
}

TEST(UserbuffersLaws, PresetsFollowTheWidthOfOperands) {
  for (const std::int32_t tensor : {4, 8}) {
    const auto step = [&](Precision precision, Userbuffers cut) {
      return step_of(llama(tensor, precision, cut));
    };
    EXPECT_EQ(step(Precision::bf16, Userbuffers::preset), step(Precision::bf16, Userbuffers::pipeline));
    EXPECT_EQ(step(Precision::fp8, Userbuffers::preset), step(Precision::fp8, Userbuffers::ring));
  }
}

}  // namespace
}  // namespace echo::simulate
