#include "network/flow_routes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace echo::network {
namespace {

std::vector<LinkUse> listed(const FlowUses& uses) {
  std::vector<LinkUse> out;
  uses.for_each([&](const LinkUse& use) { out.push_back(use); });
  return out;
}

// As a list of all links of each: of flows that share a stretch, flows that nearly do, and others.
TEST(FlowRoutes, AreThoseThatWereAdded) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<std::vector<LinkUse>> stretches(3), plain;
    for (auto& stretch : stretches)
      for (std::uint64_t i = 0, links = random() % 40; i < links; ++i)
        stretch.push_back({static_cast<std::int32_t>(random() % 5), random() % 4 == 0 ? 1.0 : 0.25});
    FlowRoutes routes;
    for (int flow = 0; flow < 60; ++flow) {
      std::vector<LinkUse> route;
      for (std::uint64_t i = 0, links = random() % 3; i < links; ++i)
        route.push_back({static_cast<std::int32_t>(random() % 100)});
      auto stretch = stretches[random() % stretches.size()];
      if (!stretch.empty() && random() % 4 == 0) stretch[random() % stretch.size()].link += 1;
      route.insert(route.end(), stretch.begin(), stretch.end());
      for (std::uint64_t i = 0, links = random() % 3; i < links; ++i)
        route.push_back({static_cast<std::int32_t>(random() % 100)});
      routes.add(route);
      plain.push_back(route);
    }
    ASSERT_EQ(routes.size(), std::ssize(plain));
    for (std::int32_t flow = 0; flow < routes.size(); ++flow) {
      const auto& expected = plain[static_cast<std::size_t>(flow)];
      ASSERT_EQ(listed(routes.of(flow)), expected);
      ASSERT_EQ(routes.of(flow).empty(), expected.empty());
    }
  }
}

TEST(FlowRoutes, KeepAStretchOnce) {
  std::vector<LinkUse> route{{0}};
  for (std::int32_t link = 1; link < 100; ++link) route.push_back({link, 0.01});
  route.push_back({100});
  FlowRoutes routes;
  routes.add(route);
  route.front().link = 200, route.back().link = 300;
  routes.add(route);
  EXPECT_EQ(routes.of(0).parts[1].data(), routes.of(1).parts[1].data());
  EXPECT_EQ(routes.of(0).parts[1].size(), 99u);
  EXPECT_EQ(routes.of(1).parts[0].front().link, 200);
}

}  // namespace
}  // namespace echo::network
