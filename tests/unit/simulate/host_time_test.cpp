#include "simulate/prices/host_time.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/counter_rng.hpp"
#include "tests/support/fixtures.hpp"

namespace echo::simulate {
namespace {

using training::TrainingConfig;

SimTime us(std::int64_t n) { return std::chrono::microseconds(n); }

training::FrameworkSpec slow_host() {
  training::FrameworkSpec f = support::plain_framework();
  f.host_per_kernel = us(5);
  f.host_per_expert = us(2);
  return f;
}

Host host_of(const TrainingConfig& c, const training::ModelSpec& m = support::tiny_llama(),
             const machine::ClusterSpec& cluster = {}) {
  return {c, m, slow_host(), cluster, support::layout_of(c, m)};
}

TEST(Host, IssuesKernelsOneByOneAndGraphsAtOnce) {
  const Host host = host_of(support::a_config());
  workload::OpGraph block;
  block.launches = 40;
  EXPECT_EQ(host.issue_time(block), us(200));
  block.looped = 30;  // calls for all experts launch these by themselves, 2 us each
  EXPECT_EQ(host.issue_time(block), us(10 * 5 + 30 * 2));
  block.looped = 0;
  block.launches = 0, block.graphs = 1;
  EXPECT_EQ(host.issue_time(block), us(5) + std::chrono::nanoseconds(2500));
}

TEST(Host, TakesLongerWhereItsProcessorsDo) {
  machine::ClusterSpec cluster;
  workload::OpGraph block;
  block.launches = 40, block.looped = 30, block.graphs = 2;
  const SimTime usual = host_of(support::a_config()).issue_time(block);
  cluster.host_time_factor = 1.5;
  const SimTime slow = host_of(support::a_config(), support::tiny_llama(), cluster).issue_time(block);
  const SimTime replays = 2 * std::chrono::nanoseconds(2500);  // the driver's
  EXPECT_EQ(2 * (slow - replays), 3 * (usual - replays));
  EXPECT_EQ(on_hosts_of(cluster, us(94)), us(141));
}

TEST(Host, WaitsForPeersWhereAPipelineCrossesNodes) {
  training::FrameworkSpec f = slow_host();
  f.host_per_peer = us(100);
  workload::OpGraph block;
  block.transfers = 10;
  const auto issue = [&](training::Degrees degrees) {
    const TrainingConfig c = support::a_config(degrees);
    const training::ModelSpec m = support::tiny_llama();
    return Host(c, m, f, {}, support::layout_of(c, m)).issue_time(block);
  };
  EXPECT_EQ(issue({.tensor = 4}), SimTime::zero());
  EXPECT_EQ(issue({.tensor = 4, .pipeline = 2}), SimTime::zero());  // a node of eight
  EXPECT_EQ(issue({.tensor = 4, .pipeline = 4}), us(4000));
}

TEST(Host, MayWaitForALateCallOfEachRankWhereAPipelineCrossesNodes) {
  workload::OpGraph block;
  block.transfers = 10;
  EXPECT_EQ(host_of(support::a_config({.tensor = 4})).peers_of(block), SimTime::zero());
  EXPECT_EQ(host_of(support::a_config({.tensor = 4, .pipeline = 4})).peers_of(block), us(10 * 4 * 5));
}

TEST(Host, KeepsItsLeadUpToTheLaunchQueue) {
  const Host host = host_of(support::a_config());
  EXPECT_EQ(host.kept(us(100)), us(100));
  EXPECT_EQ(host.kept(us(1'000'000)), us(5 * 1024));
}

TEST(Host, LosesItsLeadWhereItWaitsForTheGpu) {
  TrainingConfig c = support::a_config({.pipeline = 2});
  EXPECT_EQ(host_of(c).kept(us(100)), SimTime::zero());  // at every hop
  c.overlap.pipeline = true;
  EXPECT_EQ(host_of(c).kept(us(100)), us(100));
  EXPECT_EQ(host_of(c, support::tiny_mixture()).kept(us(100)), SimTime::zero());  // for token counts
  c.recipe.capacity_permille = 1000;
  EXPECT_EQ(host_of(c, support::tiny_mixture()).kept(us(100)), us(100));
  c.recipe.capacity_permille = 0, c.recipe.cuda_graphs = true;  // counts stay on the GPU
  EXPECT_EQ(host_of(c, support::tiny_mixture()).kept(us(100)), us(100));
}

TEST(Host, IsNeverAheadWhereLaunchesBlock) {
  machine::ClusterSpec cluster;
  cluster.launch_blocking = true;
  const Host host = host_of(support::a_config(), support::tiny_llama(), cluster);
  EXPECT_TRUE(host.blocks());
  EXPECT_EQ(host.kept(us(100)), SimTime::zero());
}

// The plain way: every block by itself.
Issue one_by_one(const std::vector<std::array<std::int64_t, 3>>& runs) {
  Issue out;
  for (const auto& [issue, run, count] : runs)
    for (std::int64_t i = 0; i < count; ++i) {
      out.issued += SimTime(issue);
      out.end = std::max(out.end + SimTime(run), out.issued);
    }
  return out;
}

TEST(Issue, OfEqualBlocksAtOnceIsThatOfEachInTurn) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    auto below = [&, n = std::uint64_t{0}](int limit) mutable {
      return static_cast<std::int64_t>(draw_unit(seed, 7, n++) * limit);
    };
    std::vector<std::array<std::int64_t, 3>> runs;
    Issue together;
    for (std::int64_t i = 0, n = 1 + below(5); i < n; ++i) {
      runs.push_back({below(100), below(100), 1 + below(20)});
      together.add(SimTime(runs.back()[0]), SimTime(runs.back()[1]), runs.back()[2]);
    }
    const Issue plain = one_by_one(runs);
    EXPECT_EQ(together.end, plain.end) << seed;
    EXPECT_EQ(together.issued, plain.issued) << seed;
  }
}

// Layers the host is too slow for, then a head it can run ahead of: the head cannot start before the last
// layer.
TEST(Issue, ALongKernelAtTheEndDoesNotHideTheHost) {
  Issue pass;
  pass.add(us(6), us(3), 10);
  pass.add(us(1), us(20), 1);
  EXPECT_EQ(pass.end, us(60 + 20));
  EXPECT_EQ(pass.ahead(), us(19));
}

TEST(Issue, ALongKernelAtTheStartDoes) {
  Issue pass;
  pass.add(us(1), us(40), 1);
  pass.add(us(6), us(3), 10);
  EXPECT_EQ(pass.end, us(40 + 30));
}

}  // namespace
}  // namespace echo::simulate
