// Mixtures whose experts take a capped number of tokens, or uneven ones.
#include "training/layout/expert_load.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/at.hpp"
#include "tests/support/traced_workload.hpp"

namespace echo::workload {
namespace {

using ops::CollectiveKind;
using ops::KernelKey;
using ops::KernelKind;
using support::traced;
using training::Degrees;
using training::TrainingConfig;

std::map<std::pair<CollectiveKind, machine::GroupSpan>, std::int64_t> expert_traffic(
    const Workload& w, const Csr<BlockRun>& runs) {
  std::map<std::pair<CollectiveKind, machine::GroupSpan>, std::int64_t> bytes;
  support::for_every_op(w, runs, [&](int count, Lane lane, TimeCategory, std::size_t work) {
    if (lane != Lane::expert) return;
    const ops::CollectiveQuery& query = w.collectives[work - w.kernels.size()];
    bytes[{query.kind, query.group}] += count * query.payload.value;
  });
  return bytes;
}

std::vector<KernelKey> kernels_of(const Workload& w, const Csr<BlockRun>& runs) {
  std::vector<KernelKey> keys;
  support::for_every_op(w, runs, [&](int count, Lane lane, TimeCategory, std::size_t work) {
    if (lane == Lane::compute) keys.insert(keys.end(), at(count), w.kernels[work]);
  });
  return keys;
}

// 1024 tokens of 1024 channels, two of 16 experts each: 128 copies an expert and sender.
TEST(MixtureWorkload, ACapFixesWhatEachExpertGetsAndNobodyCounts) {
  const training::ModelSpec m = support::tiny_mixture();
  const Degrees degrees{.data = 8, .expert = 8};
  const training::RankLayout layout = support::layout_of(support::a_config(degrees), m);
  const Workload dropless = traced(support::a_config(degrees), m);
  for (const std::int32_t permille : {500, 1000, 1500}) {
    TrainingConfig c = support::a_config(degrees);
    c.recipe.capacity_permille = permille;
    const Workload capped = traced(c, m);
    auto sent = expert_traffic(capped, capped.forward), all = expert_traffic(dropless, dropless.forward);
    const std::pair exchange{CollectiveKind::all_to_all, layout.expert};
    EXPECT_EQ(sent[exchange] * 1000, all[exchange] * permille);
    EXPECT_EQ(sent.size(), 1U);  // no counts
    const auto grouped = std::find_if(capped.kernels.begin(), capped.kernels.end(),
                                      [](const KernelKey& k) { return k.grouped; });
    ASSERT_NE(grouped, capped.kernels.end());
    EXPECT_EQ(grouped->m, 128 * 8 * permille / 1000);
    if (permille == 1000) {
      EXPECT_EQ(kernels_of(capped, capped.forward), kernels_of(dropless, dropless.forward));
    }
  }
}

TEST(MixtureWorkload, UnevenLoadsAreThoseOfTheBusiestRank) {
  const training::ModelSpec m = support::tiny_mixture();
  for (const Degrees& d : {Degrees{.data = 16, .expert = 16}, Degrees{.data = 16, .expert = 4}}) {
    TrainingConfig c = support::a_config(d);
    const training::RankLayout layout = support::layout_of(c, m);
    const Workload even = traced(c, m);
    c.recipe.imbalance_permille = 400;
    const double load = training::busiest_load(c, m, layout).rank;
    const Workload uneven = traced(c, m);
    EXPECT_GT(load, 1.0);
    const double copies = 2 * 1024 * load;  // that come to the rank from each of its group on average
    const auto grouped = std::find_if(uneven.kernels.begin(), uneven.kernels.end(), [](const KernelKey& k) {
      return k.kind == KernelKind::gemm && k.n == 2 * 768 && k.m != 1024;  // attention's has 1024 rows
    });
    ASSERT_NE(grouped, uneven.kernels.end());
    EXPECT_NEAR(grouped->m * grouped->batch, copies, grouped->batch);
    const std::pair exchange{CollectiveKind::all_to_all, layout.expert};
    auto sent = expert_traffic(uneven, uneven.backward), mean = expert_traffic(even, even.backward);
    EXPECT_NEAR(static_cast<double>(sent[exchange]), static_cast<double>(mean[exchange]) * load, 1e6);
  }
}

TEST(MixtureWorkload, UnevenNodesAreVisitedAsOftenAsTheBusiest) {
  const training::ModelSpec m = support::tiny_mixture();
  TrainingConfig c = support::a_config({.data = 32, .expert = 16});
  c.recipe.dispatch = training::Dispatch::per_node;
  c.recipe.imbalance_permille = 400;
  const training::RankLayout layout = support::layout_of(c, m);
  const double share = training::busiest_load(c, m, layout).node / 2;
  const double visited = 1.0 - (1.0 - share) * (1.0 - share);  // either of a token's two experts is there
  const Workload w = traced(c, m);
  auto bytes = expert_traffic(w, w.forward);
  const double token_bytes = 1024.0 * m.hidden * 2;
  EXPECT_NEAR(static_cast<double>(bytes[{CollectiveKind::all_to_all, layout.expert_across}]),
              7 * 2 * token_bytes * 2 * visited, 100.0);
}

}  // namespace
}  // namespace echo::workload
