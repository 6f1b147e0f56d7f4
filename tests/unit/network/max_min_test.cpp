#include "network/max_min.hpp"

#include <gtest/gtest.h>

#include "base/counter_rng.hpp"
#include "network/fold.hpp"
#include "tests/support/flow_twin.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::network {
namespace {

Csr<LinkUse> rows_of(const std::vector<twin::Route>& flows) {
  Csr<LinkUse> out;
  for (const auto& flow : flows) {
    for (const LinkUse& use : flow) out.push(use);
    out.close_row();
  }
  return out;
}

// Bertsekas and Gallager 1992, figure 6.11 in spirit: one flow over both links, one on the first, two on the
// second. The second link fills at 1/3 each; what is left of the first goes to its own flow.
TEST(MaxMin, GivesTheRestToWhoCanUseIt) {
  std::vector<double> rate;
  max_min_rates(rows_of({{{0}, {1}}, {{0}}, {{1}}, {{1}}}), std::vector<double>{1.0, 1.0}, rate);
  EXPECT_DOUBLE_EQ(rate[0], 1.0 / 3);
  EXPECT_DOUBLE_EQ(rate[1], 2.0 / 3);
  EXPECT_DOUBLE_EQ(rate[2], 1.0 / 3);
  EXPECT_DOUBLE_EQ(rate[3], 1.0 / 3);
}

struct Random {
  std::vector<twin::Route> flows;
  std::vector<double> capacity;
};

// Few distinct capacities and shares, so that ties and symmetries happen.
Random random_case(std::uint64_t seed) {
  Random r;
  std::uint64_t n = 0;
  const auto below = [&](std::uint64_t top) { return draw(seed, 1, n++) % top; };
  const std::size_t links = 1 + below(12), flows = 1 + below(24);
  for (std::size_t l = 0; l < links; ++l) r.capacity.push_back(static_cast<double>(1 + below(3)) * 10.0);
  for (std::size_t f = 0; f < flows; ++f) {
    twin::Route route;
    for (std::size_t l = 0; l < links; ++l)
      if (below(3) == 0) route.push_back({static_cast<std::int32_t>(l), below(4) == 0 ? 0.5 : 1.0});
    if (route.empty()) route.push_back({static_cast<std::int32_t>(below(links))});
    r.flows.push_back(route);
  }
  return r;
}

TEST(MaxMin, EqualsFillingAllFlowsTogether) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const Random r = random_case(seed);
    std::vector<double> fast;
    max_min_rates(rows_of(r.flows), r.capacity, fast);
    const std::vector<double> slow = twin::max_min(r.flows, r.capacity);
    for (std::size_t f = 0; f < slow.size(); ++f)
      ASSERT_NEAR(fast[f], slow[f], 1e-9 * slow[f]) << "seed " << seed << " flow " << f;
  }
}

TEST(MaxMin, WorksOutAgainOnlyWhatAChangeReaches) {
  const Csr<LinkUse> uses = rows_of({{{0}}, {{0}, {1}}, {{2}}});
  const std::vector<double> capacity{4.0, 4.0, 4.0};
  MaxMin solver;
  solver.bind(uses, capacity);
  for (std::int32_t f = 0; f < 3; ++f) solver.start(f);
  EXPECT_EQ(solver.settle().size(), 3U);
  EXPECT_DOUBLE_EQ(solver.rate(1), 2.0);
  solver.stop(0);
  EXPECT_EQ(solver.settle().size(), 1U);
  EXPECT_DOUBLE_EQ(solver.rate(1), 4.0);
  EXPECT_EQ(solver.bottleneck(2), 2);
}

// Flows start and stop in turn; some rates are kept, and all are what filling all flows together gives.
TEST(MaxMin, KeepsOnlyRatesThatStay) {
  std::size_t running_in_all = 0, recomputed = 0;
  for (std::uint64_t seed = 0; seed < (support::is_sanitized ? 300 : 3'000); ++seed) {
    const Random r = random_case(seed);
    const Csr<LinkUse> uses = rows_of(r.flows);
    MaxMin solver;
    solver.bind(uses, r.capacity);
    std::vector<bool> runs(r.flows.size(), false);
    for (std::uint64_t change = 0; change < 20; ++change) {
      const bool starts = change == 0 || draw(seed, 2, change) % 4 == 0;
      for (std::size_t f = 0; f < runs.size(); ++f) {
        if (runs[f] == starts || draw(seed, 3, change * 64 + f) % (starts ? 2 : 5) != 0) continue;
        runs[f] = starts;
        starts ? solver.start(static_cast<std::int32_t>(f)) : solver.stop(static_cast<std::int32_t>(f));
      }
      recomputed += solver.settle().size();
      std::vector<twin::Route> running;
      for (std::size_t f = 0; f < runs.size(); ++f)
        if (runs[f]) running.push_back(r.flows[f]);
      running_in_all += running.size();
      const std::vector<double> slow = twin::max_min(running, r.capacity);
      std::size_t nth = 0;
      for (std::size_t f = 0; f < runs.size(); ++f) {
        if (!runs[f]) continue;
        ASSERT_NEAR(solver.rate(static_cast<std::int32_t>(f)), slow[nth], 1e-9 * slow[nth])
            << "seed " << seed << " change " << change << " flow " << f;
        ++nth;
      }
    }
  }
  EXPECT_LT(recomputed, running_in_all);
}

// The fastest of an all-to-all end first, and the others gain nothing from it.
TEST(MaxMin, WorksOutNothingAgainWhereTheFastestStop) {
  const Csr<LinkUse> uses = rows_of({{{0}}, {{0}, {1}}, {{1}}, {{1}}});
  const std::vector<double> capacity{1.0, 1.0};
  MaxMin solver;
  solver.bind(uses, capacity);
  for (std::int32_t f = 0; f < 4; ++f) solver.start(f);
  (void)solver.settle();
  solver.stop(0);
  EXPECT_TRUE(solver.settle().empty());
  EXPECT_DOUBLE_EQ(solver.rate(1), 1.0 / 3);
}

TEST(Fold, KeepsTheRatesOfEveryFlow) {
  std::size_t folded_flows = 0, flows = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const Random r = random_case(seed);
    const std::vector<std::uint64_t> kind(r.flows.size(), 0);
    Folded folded;
    const Csr<LinkUse> routes = rows_of(r.flows);
    fold(uses_of(routes), kind, r.capacity, folded);
    std::vector<double> rate;
    max_min_rates(folded.uses, folded.capacity, rate);
    const std::vector<double> slow = twin::max_min(r.flows, r.capacity);
    for (std::size_t f = 0; f < slow.size(); ++f)
      ASSERT_NEAR(rate[static_cast<std::size_t>(folded.class_of[f])], slow[f], 1e-9 * slow[f])
          << "seed " << seed;
    folded_flows += rate.size();
    flows += slow.size();
  }
  EXPECT_LT(folded_flows, flows);
}

// Eight flows around a ring of eight equal links, each over two of them: one class of flows, one of links.
TEST(Fold, TakesASymmetricRingAsOneFlow) {
  std::vector<twin::Route> flows;
  for (std::int32_t i = 0; i < 8; ++i) flows.push_back({{i}, {(i + 1) % 8}});
  Folded folded;
  const Csr<LinkUse> routes = rows_of(flows);
  fold(uses_of(routes), std::vector<std::uint64_t>(8, 0), std::vector<double>(8, 6.0), folded);
  ASSERT_EQ(folded.first.size(), 1U);
  ASSERT_EQ(folded.capacity.size(), 1U);
  EXPECT_DOUBLE_EQ(folded.uses.row(0)[0].share, 2.0);
}

}  // namespace
}  // namespace echo::network
