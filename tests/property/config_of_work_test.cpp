// Configs of the same config_of_work() have the same work, op for op.
#include <gtest/gtest.h>

#include "simulate/schedule_of.hpp"
#include "simulate/simulate.hpp"
#include "tests/support/random_recipe.hpp"
#include "tests/support/same_workload.hpp"
#include "workload/generate_workload.hpp"
#include "workload/traffic/step_tail.hpp"

namespace echo::workload {
namespace {

using training::TrainingConfig;

struct Met {
  std::int32_t changed = 0, counting = 0, waiting = 0;
};

Workload work_of(const TrainingConfig& c, const training::RankLayout& layout) {
  const simulate::Catalog& catalog = support::presets().catalog;
  Workload out;
  generate_workload(c, catalog.model(c.model), catalog.framework(c), catalog.cluster(c.cluster), layout,
                    simulate::backward_of(simulate::schedule_of(c, catalog)), out,
                    catalog.gpu(c).compute_capability);
  return out;
}

void check(TrainingConfig c, std::uint64_t seed, Met& met) {
  const simulate::Catalog& catalog = support::presets().catalog;
  support::Draws draws(seed);
  c.batch.global_samples = c.degrees.data * c.batch.micro_samples * draws.one_of({1, 2, 3, 8}) *
                           (c.degrees.virtual_stages > 1 ? c.degrees.pipeline : 1);
  if (draws.below(4) == 0) c.precision = machine::Precision::fp8;
  if (draws.below(4) == 0) c.recipe.no_sync = true;
  training::RankLayout layout;
  if (simulate::first_refusal(c, catalog, simulate::schedule_of(c, catalog), layout)) return;
  const TrainingConfig same = config_of_work(c);
  support::expect_equal(work_of(c, layout), work_of(same, layout), seed);
  ASSERT_EQ(config_of_work(same), same) << "seed " << seed;
  met.changed += same.batch.global_samples != c.batch.global_samples ? 1 : 0;
  met.counting += counts_microbatches(c) && training::microbatches_of(c) > 2 ? 1 : 0;
  met.waiting += c.recipe.no_sync && c.zero > training::ZeroStage::optimizer ? 1 : 0;
}

TEST(ConfigOfWork, HasTheWorkOfTheConfig) {
  Met met;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    check(support::small_world(seed), seed, met);
    check(support::random_config(seed), seed, met);
  }
  EXPECT_GT(met.changed, 300);
  EXPECT_GT(met.counting, 20);
  EXPECT_GT(met.waiting, 20);
}

}  // namespace
}  // namespace echo::workload
