// Laws of a forward and a backward run as one, over random mixtures of experts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/at.hpp"
#include "simulate/step/compose_chunks.hpp"
#include "tests/support/random_config.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

// A config that runs pairs, or not where its seed forbids them.
TrainingConfig paired_config(std::uint64_t seed) {
  TrainingConfig c = support::random_config(seed);
  support::Draws draws(seed + 1'000'000);
  support::mix_experts(c, draws);
  c.recipe.overlap_ep = true;
  c.recipe.overlaps_shared_experts = false;
  c.zero = std::min(c.zero, training::ZeroStage::optimizer);
  if (c.recompute == training::Recompute::full) c.recompute = training::Recompute::selective;
  const bool laps = c.degrees.pipeline > 1;
  if (laps && c.degrees.virtual_stages == 1) c.degrees.virtual_stages = 2;
  c.schedule = training::ScheduleId(find_named(timeline::schedule_table(), laps ? "interleaved" : "1f1b"));
  return c;
}

Catalog unhurried_host() {
  Catalog catalog = support::catalog_with_roomy_gpus();
  for (training::FrameworkSpec& f : catalog.frameworks) f.host_per_kernel = f.host_per_peer = SimTime::zero();
  return catalog;
}

Calibration without_slowdown() {
  Calibration calibration = support::presets().calibration;
  calibration.slowdown = slowdown::NoSlowdown{};
  calibration.contention = Contention::off;
  return calibration;
}

// Visits every pair of chunks: its row, the chunks.
template <class Visit>
void each_pair(const Workspace& ws, Visit visit) {
  const auto chunks = static_cast<std::int32_t>(ws.step.composed.chunks.size());
  std::int32_t row = 0;
  for (std::int32_t f = 0; f < chunks; ++f)
    for (std::int32_t b = 0; b < chunks; ++b)
      if (ws.step.layout.stage_of_chunk[at(f)] == ws.step.layout.stage_of_chunk[at(b)])
        visit(row++, ws.step.composed.chunks[at(f)][PassKind::forward],
              ws.step.composed.chunks[at(b)][PassKind::backward]);
  ASSERT_EQ(row, ws.step.work.pairs.rows());
}

std::array<SimTime, lane_count> lane_times(const Workspace& ws, std::int32_t row) {
  std::array<SimTime, lane_count> sum{};
  for (const workload::BlockRun& run : ws.step.work.pairs.row(row)) {
    const workload::OpGraph& block = ws.step.work.blocks[at(run.block)];
    for (std::size_t op = 0; op < block.lane.size(); ++op)
      sum[at(block.lane[op])] += run.count * ws.step.prices.alone[at(block.work[op])];
  }
  return sum;
}

template <class Visit>
int on_paired_configs(const Catalog& catalog, const Calibration& calibration, Visit visit) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TrainingConfig c = paired_config(seed);
    Workspace ws;
    const StepReport report = simulate(c, catalog, calibration, ws);
    if (report.status != training::Status::ok) continue;
    ++seen;
    visit(c, ws, report, "seed " + std::to_string(seed));
  }
  return seen;
}

// No longer than one pass after the other where these hide nothing of their own. A layer that hides its
// tensor group's sums behind itself may hide less of them beside another, whose sums queue on the same lane;
// then the bound is all ops one after the other.
TEST(Pair, IsNeitherShorterThanItsLongestLaneNorLongerThanOneAfterTheOther) {
  const Catalog catalog = unhurried_host();
  for (const Calibration& calibration : {support::presets().calibration, without_slowdown()}) {
    int shorter = 0;
    const int seen = on_paired_configs(
        catalog, calibration,
        [&](const TrainingConfig& c, const Workspace& ws, const StepReport&, const std::string& what) {
          const bool hides = c.degrees.tensor > 1 || c.degrees.context > 1;
          each_pair(ws, [&](std::int32_t row, const Cost& forward, const Cost& backward) {
            const SimTime pair = ws.step.composed.pairs[at(row)].time;
            const auto lanes = lane_times(ws, row);
            ASSERT_GE(pair, *std::max_element(lanes.begin(), lanes.end())) << what;
            const SimTime all = std::accumulate(lanes.begin(), lanes.end(), SimTime{});
            ASSERT_LE(pair, hides ? all : forward.time + backward.time) << what;
            shorter += pair < forward.time + backward.time;
          });
        });
    EXPECT_GT(seen, 30);
    EXPECT_GT(shorter, 100);
  }
}

TEST(Pair, DoesTheWorkOfBoth) {
  on_paired_configs(
      unhurried_host(), without_slowdown(),
      [&](const TrainingConfig&, const Workspace& ws, const StepReport&, const std::string& what) {
        each_pair(ws, [&](std::int32_t row, const Cost& forward, const Cost& backward) {
          const Cost& pair = ws.step.composed.pairs[at(row)];
          for (std::size_t part = 0; part < time_category_count; ++part)
            ASSERT_EQ(pair.total[part], forward.total[part] + backward.total[part])
                << what << " part " << part;
          ASSERT_EQ(std::accumulate(pair.exposed.begin(), pair.exposed.end(), SimTime{}), pair.time) << what;
        });
      });
}

// All-to-alls that take no time leave nothing to hide, but sums of shared experts over the tensor group.
TEST(Pair, IsAsLongAsBothWithoutExpertTraffic) {
  const Catalog catalog = unhurried_host();
  int compared = 0;
  on_paired_configs(catalog, without_slowdown(),
                    [&](const TrainingConfig& c, Workspace& ws, const StepReport&, const std::string& what) {
                      if (c.degrees.tensor > 1) return;
                      ++compared;
                      for (std::int32_t i = 0; i < ws.step.work.block_count; ++i) {
                        const workload::OpGraph& block = ws.step.work.blocks[at(i)];
                        for (std::size_t op = 0; op < block.lane.size(); ++op)
                          if (block.lane[op] == Lane::expert)
                            ws.step.prices.alone[at(block.work[op])] = SimTime{};
                      }
                      compose_chunks(input_of(c, catalog, ws.step), Slowdown::off, ws.scratch.block,
                                     ws.step.composed);
                      each_pair(ws, [&](std::int32_t row, const Cost& forward, const Cost& backward) {
                        ASSERT_EQ(ws.step.composed.pairs[at(row)].time, forward.time + backward.time) << what;
                      });
                    });
  EXPECT_GT(compared, 10);
}

// The stretches of one layer each way, on two streams, as the framework queues them.
TEST(Pair, RunsItsStretchesAsTheFrameworkQueuesThem) {
  int compared = 0;
  on_paired_configs(
      unhurried_host(), without_slowdown(),
      [&](const TrainingConfig& c, const Workspace& ws, const StepReport&, const std::string& what) {
        if (c.degrees.tensor > 1 || c.degrees.context > 1 || c.degrees.expert_tensor > 1) return;
        const auto alone = [&](const workload::OpGraph& g, std::int32_t op) {
          return ws.step.prices.alone[at(g.work[at(op)])];
        };
        const auto first_of = [&](const workload::OpGraph& g, std::size_t stretch) {
          return stretch == 0 ? 0 : g.cuts[stretch - 1];
        };
        const auto sum = [&](const workload::OpGraph& g, std::size_t stretch, bool computes) {
          SimTime time{};
          const std::int32_t end = stretch == 4 ? g.size() : g.cuts[stretch];
          for (std::int32_t op = first_of(g, stretch); op < end; ++op)
            if ((g.lane[at(op)] == Lane::compute) == computes) time += alone(g, op);
          return time;
        };
        const auto layers = [&](TimeCategory part) {
          std::vector<const workload::OpGraph*> found;
          for (std::int32_t i = 0; i < ws.step.work.block_count; ++i) {
            const workload::OpGraph& g = ws.step.work.blocks[at(i)];
            const bool whole = g.cuts.size() == 4 && g.cuts[0] > 0 && g.cuts[0] < g.cuts[1];
            const bool chunk = std::count(g.lane.begin(), g.lane.end(), Lane::data) > 0;  // of one layer
            if (whole && !chunk && g.part[0] == part) found.push_back(&g);
          }
          return found;
        };
        const auto ahead = layers(TimeCategory::forward), back = layers(TimeCategory::backward);
        if (ahead.empty() || back.empty()) return;
        const workload::OpGraph &f = *ahead.front(), &b = *back.front();
        // How far into its first stretch the forward knows the counts, which go round at once.
        SimTime counted{};
        for (std::int32_t op = 0; f.lane[at(op)] == Lane::compute; ++op) counted += alone(f, op);
        const SimTime combined_b = sum(b, 0, true) + sum(b, 1, false);
        const SimTime attention_f = sum(b, 0, true) + sum(f, 0, true);
        const SimTime counts = std::max(combined_b, sum(b, 0, true) + counted) + sum(f, 0, false);
        const SimTime dispatched_f = std::max(counts, attention_f) + sum(f, 1, false);
        const SimTime experts_b = std::max(attention_f, combined_b) + sum(b, 2, true);
        const SimTime dispatched_b = std::max(dispatched_f, experts_b) + sum(b, 3, false);
        const SimTime experts_f = std::max(experts_b, dispatched_f) + sum(f, 2, true);
        const SimTime combined_f = std::max(dispatched_b, experts_f) + sum(f, 3, false);
        const SimTime attention_b = std::max(experts_f, dispatched_b) + sum(b, 4, true);
        const SimTime end = std::max(attention_b, combined_f) + sum(f, 4, true);
        bool met = false, found = false;  // layers of unlike kinds may never meet
        for (std::int32_t i = 0; i < ws.step.work.block_count; ++i) {
          const bool woven = ws.step.work.blocks[at(i)].size() == f.size() + b.size();
          met |= woven;
          found |= woven && ws.step.composed.blocks[at(i)].time == end;
        }
        EXPECT_EQ(found, met) << what;
        compared += met;
      });
  EXPECT_GT(compared, 3);
}

TEST(Pair, MakesNoStepLongerWithoutAPipeline) {
  const Catalog catalog = unhurried_host();
  const Calibration calibration = without_slowdown();
  int shorter = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    TrainingConfig c = paired_config(seed);
    if (c.degrees.pipeline > 1) continue;
    c.degrees.tensor = c.degrees.context = c.degrees.expert_tensor = 1;
    c.sequence_parallel = false;
    Workspace ws;
    const StepReport paired = simulate(c, catalog, calibration, ws);
    if (paired.status != training::Status::ok) continue;
    c.recipe.overlap_ep = false;
    const StepReport plain = simulate(c, catalog, calibration, ws);
    ASSERT_LE(paired.step, plain.step) << "seed " << seed;
    shorter += paired.step < plain.step;
  }
  EXPECT_GT(shorter, 5);
}

}  // namespace
}  // namespace echo::simulate
