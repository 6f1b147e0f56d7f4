// Laws of context parallelism and of kinds of layers over whole simulated steps.
#include <gtest/gtest.h>

#include "tests/support/random_config.hpp"

namespace echo {
namespace {

using training::ContextComm;

// Llama-3 405B over 1024 GPUs.
training::TrainingConfig long_context(std::int32_t tokens, std::int32_t context, ContextComm how) {
  const simulate::Catalog& catalog = support::presets().catalog;
  training::TrainingConfig c;
  c.model = training::ModelId(find_named(catalog.models, "llama3-405b"));
  c.cluster = machine::ClusterId(find_named(catalog.clusters, "dgx-h100-ndr400"));
  c.framework = training::FrameworkId(find_named(catalog.frameworks, "megatron-core"));
  c.recipe = catalog.framework(c).recipe;
  c.recipe.cp_comm = how;
  c.degrees = {.tensor = 4, .pipeline = 8, .data = 32 / context, .context = context};
  c.batch = {.global_samples = 8 * c.degrees.data, .micro_samples = 1, .sequence_tokens = tokens};
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "1f1b"));
  c.sequence_parallel = true;
  return c;
}

constexpr ContextComm every_way[]{ContextComm::ring, ContextComm::all_gather, ContextComm::ulysses,
                                  ContextComm::hybrid};

simulate::StepReport run(const training::TrainingConfig& c, const simulate::Catalog& catalog) {
  simulate::Workspace workspace;  // of this catalog
  return simulate::simulate(c, catalog, support::presets().calibration, workspace);
}

TEST(ContextLaws, AMillionTokensTakeAStepThatNoNumberWrapsIn) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  for (const ContextComm how : {ContextComm::ring, ContextComm::all_gather, ContextComm::hybrid}) {
    training::TrainingConfig c = long_context(1 << 20, 32, how);
    c.recipe.cp_inner = 2;
    const simulate::StepReport report = run(c, catalog);
    ASSERT_EQ(report.status, training::Status::ok) << static_cast<int>(how);
    EXPECT_GT(report.mfu, 0.2) << static_cast<int>(how);
    EXPECT_LT(report.mfu, 0.8) << static_cast<int>(how);
  }
  const training::TrainingConfig c = long_context(1 << 20, 32, ContextComm::ulysses);
  EXPECT_EQ(run(c, catalog).status, training::Status::infeasible) << "two key-value heads a tensor rank";
}

TEST(ContextLaws, OneRankSharesNothingWhicheverWay) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  const SimTime plain = run(long_context(8192, 1, ContextComm::ring), catalog).step;
  for (const ContextComm how : every_way) EXPECT_EQ(run(long_context(8192, 1, how), catalog).step, plain);
}

TEST(ContextLaws, ANarrowerWindowIsNeverSlowerAndAWholeOneIsNone) {
  simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  const training::TrainingConfig c = long_context(8192, 2, ContextComm::all_gather);
  training::LocalAttention& local = catalog.models[static_cast<std::size_t>(c.model.index())].local;
  const SimTime plain = run(c, catalog).step;
  SimTime before = plain;
  for (const std::int32_t span : {8192, 4096, 1024, 128}) {
    local.span = span;
    const SimTime step = run(c, catalog).step;
    if (span == 8192) {
      EXPECT_EQ(step, plain);
    }
    EXPECT_LE(step, before) << span;
    before = step;
  }
  EXPECT_LT(before, plain);
}

// Every way to share a sequence and every kind of layer, at random: a report that passes the invariants of
// every simulated step, or a rule that says why not.
TEST(ContextLaws, RandomSharingHoldsTheInvariantsOfAStep) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  int ran = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    support::Draws draws(seed + 9000);
    training::TrainingConfig c = support::random_config(seed);
    c.flash_attention = true;
    c.degrees.context = draws.one_of({1, 2, 4});
    c.recipe.cp_comm =
        draws.one_of({ContextComm::ring, ContextComm::all_gather, ContextComm::ulysses, ContextComm::hybrid});
    c.recipe.cp_inner = draws.one_of({0, 2});
    if (draws.coin()) {
      c.model = training::ModelId(support::named(
          catalog.models,
          draws.one_of({"gemma3-27b", "nemotron-h-8b", "gpt-oss-20b", "mistral-7b", "llama4-scout"})));
      c.sequence_parallel = c.degrees.tensor > 1;
      c.degrees.expert = c.degrees.expert_tensor = 1;
      c.batch.sequence_tokens = draws.one_of({2048, 8192, 16384});
    }
    const simulate::StepReport report = run(c, catalog);
    EXPECT_NE(report.status, training::Status::failed) << "seed " << seed;
    ran += report.status == training::Status::ok;
  }
  EXPECT_GT(ran, 100);
}

// Grattafiori et al. 2024 (Llama 3, table 4): on 16 384 H100s 400 TFLOP/s a GPU at 8192 tokens, 380 at 131
// 072 over 16 context ranks that gather keys and values: 0.95 of it.
TEST(ContextLaws, SixteenGatheringRanksCostWhatLlama3Paid) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  const auto rate = [&](std::int32_t tokens, std::int32_t context) {
    training::TrainingConfig c = long_context(tokens, 1, ContextComm::all_gather);
    c.degrees = {.tensor = 8, .pipeline = 16, .data = 128 / context, .context = context, .virtual_stages = 4};
    c.layers = {.embedding_is_layer = true, .loss_is_layer = true};
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), "interleaved"));
    c.batch.global_samples = 16 * c.degrees.data;  // 16 Mi tokens
    const simulate::StepReport report = run(c, catalog);
    EXPECT_EQ(report.status, training::Status::ok);
    return report.mfu;
  };
  const double ratio = rate(131072, 16) / rate(8192, 1);
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_NEAR(ratio, 380.0 / 400, 0.1);
}

}  // namespace
}  // namespace echo
