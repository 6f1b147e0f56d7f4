#include "calibrate/network/network_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace echo::calibrate {
namespace {

machine::GroupLinks h100_links(std::int32_t nodes) {
  machine::GroupLinks links;
  links.scale_up.bandwidth = BytesPerSecond(450e9);
  links.compute_capability = 90;
  links.nics = nodes > 1 ? 8 : 0;
  if (nodes > 1) links.scale_out.bandwidth = BytesPerSecond(400e9);
  return links;
}

// The sweep a log would hold if the world were exactly `truth`.
std::vector<NetworkMeasurement> log_of(const collective::NetworkConstants& truth) {
  std::vector<NetworkMeasurement> rows;
  std::int32_t family = 0;
  for (const std::int32_t nodes : {1, 2}) {
    for (const auto kind : {ops::CollectiveKind::all_reduce, ops::CollectiveKind::all_gather,
                            ops::CollectiveKind::all_to_all}) {
      for (std::int64_t bytes = 1024; bytes <= std::int64_t{1} << 32; bytes *= 16) {
        NetworkMeasurement m;
        m.query = {kind, Bytes(bytes), {.ranks = 8 * nodes, .nodes = nodes, .ranks_per_node = 8}};
        m.links = h100_links(nodes);
        m.nccl_version = 22105;
        m.family = family;
        m.seconds = to_seconds(collective::price(m.query, m.links, {}, m.nccl_version, truth).time);
        rows.push_back(m);
      }
      ++family;
    }
  }
  return rows;
}

collective::NetworkConstants slow_fabric() {
  collective::NetworkConstants k;
  k.network_rate = 0.6;
  k.network_delay = 5.0;
  k.nvls_rate = 0.72;
  k.p2p_rate = 0.68;
  return k;
}

TEST(NetworkFit, RecoversTheConstantsThatMadeTheLog) {
  const auto truth = slow_fabric();
  const auto rows = log_of(truth);
  const NetworkFit fit = fit_network(rows, {}, collective::Guess::same_gpu);
  EXPECT_NEAR(fit.constants.network_rate, truth.network_rate, 0.02);
  EXPECT_NEAR(fit.constants.nvls_rate, truth.nvls_rate, 0.02);
  EXPECT_NEAR(fit.constants.p2p_rate, truth.p2p_rate, 0.03);
  EXPECT_LT(fit.fitted.median, 0.02);
  EXPECT_LT(fit.held_out.median,
            network_errors(rows, {}).median);  // six families, each fold blind to one or two
}

TEST(NetworkFit, IsDeterministic) {
  const auto rows = log_of(slow_fabric());
  EXPECT_EQ(fit_network(rows, {}).constants, fit_network(rows, {}).constants);
}

TEST(NetworkFit, LeavesAloneWhatNoRowSpeaksAbout) {
  auto rows = log_of(slow_fabric());
  std::erase_if(rows, [](const NetworkMeasurement& m) { return m.query.group.nodes > 1; });
  const NetworkFit fit = fit_network(rows, {});
  EXPECT_EQ(fit.constants.network_rate, collective::NetworkConstants{}.network_rate);
  EXPECT_EQ(fit.constants.inter_hop_ll, collective::NetworkConstants{}.inter_hop_ll);
}

TEST(NetworkFit, NeverFitsRowsKeptForTesting) {
  auto rows = log_of({});
  const NetworkFit clean = fit_network(rows, {});
  const std::size_t count = rows.size();
  for (std::size_t i = 0; i < count; i += 3) {
    NetworkMeasurement spoiled = rows[i];
    spoiled.seconds *= 7.0;
    spoiled.use = Use::test_only;
    rows.push_back(spoiled);
  }
  const NetworkFit fit = fit_network(rows, {});
  EXPECT_EQ(fit.constants, clean.constants);
  EXPECT_GT(fit.test_only.median, 0.5);
}

TEST(NetworkKinds, ComeAfterTheirPriors) {
  std::vector<std::string> seen{""};
  for (const NetworkKind& kind : network_kinds()) {
    EXPECT_NE(std::find(seen.begin(), seen.end(), kind.prior), seen.end()) << kind.name;
    seen.emplace_back(kind.name);
  }
}

}  // namespace
}  // namespace echo::calibrate
