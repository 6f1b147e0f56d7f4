// How long equal flows that start together take, by adding up what every link carries: the slowest link
// decides. Equal flows share their busiest link evenly, so max-min fairness ends them at that time too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/routing.hpp"

namespace echo::network {

using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

// Bytes each flow gets through in a second, the slowest of them.
inline BytesPerSecond slowest_rate(const machine::NetworkGraph& graph, machine::Routing policy,
                                   const Pairs& flows, std::uint64_t seed = 0) {
  Router router(graph, policy, seed);
  std::vector<double> load(graph.links.size(), 0.0);
  std::vector<LinkUse> uses;
  for (const auto& [from, to] : flows) {
    router.route(from, to, 0, uses);
    for (const LinkUse& use : uses) load[static_cast<std::size_t>(use.link)] += use.share;
  }
  double rate = 1e300;
  for (std::size_t i = 0; i < load.size(); ++i)
    if (load[i] > 0.0) rate = std::min(rate, graph.links[i].bandwidth.value / load[i]);
  return BytesPerSecond(rate);
}

// Every GPU of a machine of `domain`s sends to the like GPU `shift` domains on.
inline Pairs shifted(const machine::NetworkGraph& graph, std::int32_t shift) {
  Pairs flows;
  for (std::int32_t gpu = 0; gpu < graph.gpus; ++gpu)
    flows.emplace_back(gpu, (gpu + shift * graph.domain) % graph.gpus);
  return flows;
}

}  // namespace echo::network
