// A generated trace says what the report of the same step says: op by op, over seeded random configs.
#include "simulate/step_trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "simulate/host_time.hpp"
#include "tests/support/random_recipe.hpp"

namespace echo::simulate {
namespace {

using support::catalog_with_roomy_gpus;
using support::Draws;
using support::presets;
using trace::Node;
using trace::NodeKind;
using training::Status;
using training::TrainingConfig;

struct Generated {
  StepReport report;
  StepTrace trace;
};

Generated generate(const TrainingConfig& c, const Catalog& catalog, Workspace& ws,
                   const StepTraceRequest& request = {}) {
  const StepTimeline step = unfold_step(c, catalog, presets().calibration, ws);
  if (step.report.status != Status::ok) return {step.report, {}};
  return {step.report, generate_trace(step, c, catalog, ws, request)};
}

// Random configs on few layers; every schedule is among them.
TrainingConfig drawn(std::uint64_t seed) {
  return seed % 2 == 0 ? support::random_config(seed) : support::small_world(seed);
}

// A step of a ring is two nodes that go out as one.
bool counts(const Node& node) { return node.kind != NodeKind::send || node.launch < 0; }

TEST(StepTrace, IsSoundAndItsPartsAreThoseOfTheReport) {
  const Catalog catalog = catalog_with_roomy_gpus();
  Workspace ws;
  int composed = 0;
  std::set<std::int32_t> schedules;
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    const TrainingConfig c = drawn(seed);
    const auto [report, made] = generate(c, catalog, ws);
    if (report.status != Status::ok) continue;
    ++composed;
    schedules.insert(c.schedule.index());
    ASSERT_EQ(trace::why_unsound(made.trace), "") << "seed " << seed;
    ASSERT_EQ(static_cast<std::int32_t>(made.trace.ranks.size()), c.degrees.pipeline) << "seed " << seed;
    const auto stage = static_cast<std::size_t>(report.critical_stage);
    const trace::RankTrace& rank = made.trace.ranks[stage];
    std::array<SimTime, part_count> total{};
    for (std::size_t i = 0; i < rank.nodes.size(); ++i)
      if (counts(rank.nodes[i]))
        total[static_cast<std::size_t>(made.parts[stage][i])] += rank.nodes[i].duration;
    for (std::size_t part = 0; part < part_count; ++part)
      if (part != static_cast<std::size_t>(Part::pp_comm))
        ASSERT_EQ(total[part], report.total[part])
            << part_names[part] << ", seed " << seed << ", schedule "
            << timeline::schedule_table()[static_cast<std::size_t>(c.schedule.index())]->name;
  }
  EXPECT_GT(composed, 300);
  EXPECT_GT(schedules.size(), 10U);
}

}  // namespace
}  // namespace echo::simulate
