// What `show` lists of a step adds up to what its report says.
#include "explain/explain.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "tests/support/random_recipe.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::explain {
namespace {

using support::named;
using support::presets;
using training::TrainingConfig;

constexpr std::uint64_t seeds = support::is_sanitized ? 40 : 1500;

SimTime of(const std::array<SimTime, time_category_count>& parts, TimeCategory part) {
  return parts[static_cast<std::size_t>(part)];
}

SimTime listed_kernels(const explain::Explanation& explanation) {
  SimTime sum{};
  for (const explain::KernelCost& kernel : explanation.kernels) {
    EXPECT_EQ(kernel.total, kernel.count * kernel.each);
    sum += kernel.total;
  }
  return sum;
}

// What the busiest stage computes, by how its kernels were priced.
SimTime computed(const TrainingConfig& config, const simulate::Catalog& catalog) {
  simulate::Workspace ws;
  (void)simulate::simulate(config, catalog, presets().calibration, ws);
  const auto& graded = ws.step.composed.outcome.cost.graded;
  return std::accumulate(graded.begin(), graded.end(), SimTime{});
}

void expect_sums(const explain::Explanation& explanation, SimTime compute, const std::string& what) {
  EXPECT_EQ(listed_kernels(explanation), compute) << what;
  std::map<std::string, SimTime> listed;
  SimTime all = compute;
  for (const explain::CollectiveCost& collective : explanation.collectives) {
    listed[collective.part] += collective.total;
    if (collective.part != "pp_comm") all += collective.total;  // that of the report is what stages wait for
  }
  const auto& total = explanation.report.total;
  for (const TimeCategory part : {TimeCategory::tp_comm, TimeCategory::cp_comm, TimeCategory::ep_comm,
                                  TimeCategory::dp_comm, TimeCategory::zero_comm})
    EXPECT_EQ(listed[std::string(time_category_names[static_cast<std::size_t>(part)])], of(total, part))
        << time_category_names[static_cast<std::size_t>(part)] << ", " << what;
  EXPECT_EQ(all, std::accumulate(total.begin(), total.end(), SimTime{}) - of(total, TimeCategory::pp_comm))
      << what;
}

TEST(Explain, ListsKernelsAndCollectivesThatAddUpToTheStep) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  std::set<std::string> schedules;
  int dense = 0, mixtures = 0, hybrids = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const TrainingConfig c = seed % 3 == 0 ? support::random_config(seed) : support::small_world(seed);
    const explain::Explanation explanation = explain(c, catalog, presets().calibration);
    if (explanation.report.status != training::Status::ok) continue;
    const char* schedule = timeline::schedule_table()[static_cast<std::size_t>(c.schedule.index())]->name;
    schedules.insert(schedule);
    const training::ModelSpec& model = catalog.model(c.model);
    (model.mamba.heads > 0 ? hybrids : model.has_experts() ? mixtures : dense) += 1;
    expect_sums(explanation, computed(c, catalog), std::string(schedule) + " seed " + std::to_string(seed));
  }
  if (support::is_sanitized) return;
  EXPECT_EQ(std::ssize(schedules), std::ssize(timeline::schedule_table()));
  EXPECT_GT(dense, 100);
  EXPECT_GT(mixtures, 50);
  EXPECT_GT(hybrids, 5);
}

// A split backward computes the weight gradients of a whole one.
TEST(Explain, ListsTheWeightGradientsOfSplitBackwards) {
  const simulate::Catalog catalog = support::catalog_with_roomy_gpus();
  TrainingConfig c = support::random_config(0);
  c.model = training::ModelId(named(catalog.models, "gpt3-6.7b"));
  c.cluster = machine::ClusterId(named(catalog.clusters, "h800-96"));
  c.framework = training::FrameworkId(named(catalog.frameworks, "megatron-core"));
  c.recipe = catalog.framework(c).recipe;
  c.degrees = {.tensor = 2, .pipeline = 4, .data = 1};
  c.batch = {.global_samples = 32, .micro_samples = 1, .sequence_tokens = 2048};
  c.zero = training::ZeroStage::none;
  c.recompute = training::Recompute::none;
  c.sequence_parallel = c.flash_attention = true;
  c.overlap = {};
  const auto products = [&](const char* schedule) {
    c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), schedule));
    const explain::Explanation explanation = explain(c, catalog, presets().calibration);
    EXPECT_EQ(explanation.report.status, training::Status::ok) << schedule;
    expect_sums(explanation, computed(c, catalog), schedule);
    double flops = 0.0;
    for (const explain::KernelCost& kernel : explanation.kernels)
      if (kernel.key.kind == ops::KernelKind::gemm)
        flops += static_cast<double>(kernel.count) * ops::flops_of(kernel.key).value;
    return std::pair(explanation.report.critical_stage, flops);
  };
  const auto whole = products("1f1b");
  for (const char* schedule : {"zb-h1", "zb-h2", "zb-1p", "zb-2p"}) {
    const auto split = products(schedule);
    EXPECT_EQ(split.first, whole.first) << schedule;
    EXPECT_NEAR(split.second / whole.second, 1.0, 1e-12) << schedule;
  }
}

}  // namespace
}  // namespace echo::explain
