#include "training/layout/expert_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include <cmath>
#include <numeric>

#include "base/counter_rng.hpp"
#include "tests/support/fixtures.hpp"
#include "training/layout/multi_token.hpp"

namespace echo::training {
namespace {

TrainingConfig uneven(std::int32_t permille, Degrees degrees) {
  TrainingConfig c = support::a_config(degrees);
  c.recipe.imbalance_permille = permille;
  return c;
}

double busiest_rank(std::int32_t permille, Degrees degrees, const ModelSpec& m = support::tiny_mixture()) {
  const TrainingConfig c = uneven(permille, degrees);
  return busiest_load(c, m, support::layout_of(c, m)).rank;
}

TEST(ExpertLoad, EvenLoadsAreOneEverywhere) {
  for (const Degrees& d : {Degrees{.data = 8}, Degrees{.data = 8, .expert = 8}}) {
    EXPECT_EQ(busiest_rank(0, d), 1.0);
  }
  EXPECT_EQ(busiest_rank(700, {.data = 8}), 1.0);  // one rank has them all
}

// With an expert per rank the loads are all there is to see: from the definition, expert by expert.
TEST(ExpertLoad, TheBusiestRankIsTheGreatestOfLoadsWithTheVariationAskedFor) {
  const ModelSpec m = support::tiny_mixture();
  std::vector<double> x;
  for (std::uint64_t e = 0; e < 16; ++e) x.push_back(-std::log(1.0 - draw_unit(260520982, e, 0)));
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 16;
  double squares = 0.0;
  for (const double value : x) squares += (value - mean) * (value - mean);
  for (const double c : {0.2, 0.5}) {
    std::vector<double> loads;
    for (const double value : x) loads.push_back(1.0 + c * (value - mean) / std::sqrt(squares / 16));
    double variance = 0.0;
    for (const double load : loads) variance += (load - 1.0) * (load - 1.0) / 16;
    EXPECT_NEAR(std::sqrt(variance), c, 1e-12);
    const auto permille = static_cast<std::int32_t>(std::lround(1000 * c));
    EXPECT_NEAR(busiest_rank(permille, {.data = 16, .expert = 16}, m),
                *std::max_element(loads.begin(), loads.end()), 1e-12);
    double pairs = 0.0;
    for (std::size_t i = 0; i < 16; i += 2) pairs = std::max(pairs, (loads[i] + loads[i + 1]) / 2);
    EXPECT_NEAR(busiest_rank(permille, {.data = 16, .expert = 8}, m), pairs, 1e-12);
  }
}

TEST(ExpertLoad, MoreVariationMakesTheBusiestRankBusier) {
  for (const std::int32_t expert : {2, 4, 8, 16}) {
    double before = 1.0;
    for (std::int32_t permille = 100; permille <= 800; permille += 100) {
      const double now = busiest_rank(permille, {.data = 16, .expert = expert});
      EXPECT_GT(now, before);
      before = now;
    }
  }
}

TEST(ExpertLoad, NoExpertGetsLessThanNothingOrMoreThanAllTokens) {
  for (const std::int32_t taken : {1, 2, 8}) {
    ModelSpec m = support::tiny_mixture();
    m.experts_per_token = taken;
    const auto most = static_cast<std::int32_t>(1000 * greatest_imbalance(m));
    EXPECT_GT(most, 100);
    EXPECT_LE(busiest_rank(most, {.data = 16, .expert = 16}, m), 16.0 / taken);
  }
}

TEST(ExpertLoad, CapacityIsRoundedUpForEachExpertOfEachSender) {
  const ModelSpec m = support::tiny_mixture();  // 2 of 16
  TrainingConfig c = support::a_config();
  c.recipe.capacity_permille = 1000;
  EXPECT_EQ(expert_capacity(c, m, 1024), 128);
  EXPECT_EQ(expert_capacity(c, m, 1025), 129);
  c.recipe.capacity_permille = 1250;
  EXPECT_EQ(expert_capacity(c, m, 1024), 160);
}

TEST(MultiToken, ADepthIsALayerAProjectionAndThreeNorms) {
  const ModelSpec m = support::tiny_llama();  // RMS norms, no biases: a norm has 1024 weights
  TrainingConfig c = support::a_config({.tensor = 2, .pipeline = 2});
  const FrameworkSpec f = support::plain_framework();
  const RankLayout layout = support::layout_of(c, m);
  const RankParameters first = chunk_parameters(c, m, f, layout, 0),
                       last = chunk_parameters(c, m, f, layout, 1);
  c.recipe.mtp_layers = 3;
  const std::int64_t layer = layer_parameters_per_rank(c, m, LayerKind::dense).dense;
  const std::int64_t table = padded_vocabulary(c, m, f) / 2 * 1024;
  EXPECT_EQ(chunk_parameters(c, m, f, layout, 0), first);
  EXPECT_EQ(chunk_parameters(c, m, f, layout, 1).dense - last.dense,
            3 * (layer + 2 * 1024 * 1024 / 2 + 3 * 1024) + table);
  c.degrees.pipeline = 1;  // the embedding is there already
  EXPECT_FALSE(copies_embedding(c, m));
}

TEST(MultiToken, ItsFlopsAreALayersTheProjectionsAndTheLogits) {
  ModelSpec m = support::tiny_llama();
  const double depth = multi_token_flops(m, 4, 1024), tokens = 4 * 1024.0;
  ModelSpec deeper = m;
  ++deeper.layers;
  const double layer = model_flops(deeper, 4, 1024) - model_flops(m, 4, 1024);
  EXPECT_NEAR(depth, layer + 6 * tokens * (2.0 * 1024 * 1024 + 1024.0 * m.vocab), 1e-9 * depth);
}

// Slow twin: every choice of `chosen` of the groups, and every way k choices can fall into them, counted.
double parts_by_counting(int groups, int chosen, int parts, int k) {
  double sum = 0.0, ways = 0.0;
  for (int set = 0; set < 1 << groups; ++set) {
    if (__builtin_popcount(static_cast<unsigned>(set)) != chosen) continue;
    std::vector<int> cells;  // smallest units that a group and a part share, of the groups of this set
    const int units = std::max(groups, parts);
    for (int unit = 0; unit < units; ++unit)
      if ((set >> (unit * groups / units) & 1) != 0) cells.push_back(unit * parts / units);
    std::vector<int> choice(at(k), 0);
    for (bool more = true; more;) {
      std::set<int> hit;
      for (const int i : choice) hit.insert(cells[at(i)]);
      sum += static_cast<double>(hit.size()), ways += 1.0;
      more = false;
      for (int& digit : choice) {
        if (++digit < static_cast<int>(cells.size())) {
          more = true;
          break;
        }
        digit = 0;
      }
    }
  }
  return sum / ways;
}

TEST(PartsPerToken, CountsWhatARouterLimitedToGroupsReaches) {
  ModelSpec m = support::tiny_mixture();
  m.experts_per_token = 3;
  for (const int groups : {2, 4})
    for (const int chosen : {1, 2})
      for (const int parts : {1, 2, 4, 8}) {
        m.routing_groups = groups, m.groups_per_token = chosen;
        EXPECT_NEAR(parts_per_token(m, parts, 1.0), parts_by_counting(groups, chosen, parts, 3), 1e-12)
            << groups << " groups, " << chosen << " chosen, " << parts << " parts";
      }
}

TEST(PartsPerToken, NeverGrowsByALimit) {
  ModelSpec m = support::tiny_mixture();
  m.experts_per_token = 8;
  for (const int parts : {2, 4, 8, 16}) {
    m.routing_groups = 0;
    const double free = parts_per_token(m, parts, 1.0);
    m.routing_groups = 8, m.groups_per_token = 4;
    EXPECT_LE(parts_per_token(m, parts, 1.0), free + 1e-12);
    EXPECT_LE(parts_per_token(m, 8, 1.0), 4.0);
  }
}

}  // namespace
}  // namespace echo::training
