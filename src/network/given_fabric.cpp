// Every GPU sends to the corresponding GPU of the domain s further on, all at once, for every s: with the
// load of each link, in flows, the slowest flow gets min(bandwidth / load), which max-min fairness gives it
// too, since it divides the first link to fill up equally among its flows. The worst of all s is the
// bandwidth assumed between neighbours, and the loads of all s together, with those of GPUs in different
// places of their domains, are that of all pairs at once. Cost: one route for each pair of GPUs, computed
// once per file.
#include "network/given_fabric.hpp"

#include <algorithm>
#include <limits>

#include "base/at.hpp"
#include "network/routing.hpp"

namespace echo::network {
namespace {

double slowest(const machine::NetworkGraph& graph, const std::vector<double>& load) {
  double rate = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < load.size(); ++i)
    if (load[i] > 0.0) rate = std::min(rate, graph.links[i].bandwidth.value / load[i]);
  return rate;
}

}  // namespace

machine::GivenFabric rate_fabric(machine::NetworkGraph graph, machine::Routing routing) {
  machine::GivenFabric given{.graph = std::move(graph)};
  const machine::NetworkGraph& g = given.graph;
  Router router(g, routing);
  std::vector<double> one(g.links.size()), all(g.links.size(), 0.0);
  std::vector<LinkUse> uses;
  double shifted = std::numeric_limits<double>::max(), latencies = 0.0;
  for (std::int32_t apart = 1; apart < g.gpus; ++apart) {
    one.assign(one.size(), 0.0);
    for (std::int32_t gpu = 0; gpu < g.gpus; ++gpu) {
      const std::int32_t to = (gpu + apart) % g.gpus;
      router.route(gpu, to, 0, uses);
      const SimTime latency = router.latency_of(uses);
      latencies += static_cast<double>(latency.count());
      if (apart % g.domain == 0) given.shifted_latency = std::max(given.shifted_latency, latency);
      for (const LinkUse& use : uses) one[at(use.link)] += use.share;
    }
    for (std::size_t i = 0; i < one.size(); ++i) all[i] += one[i] / (g.gpus - 1);
    if (apart % g.domain == 0) shifted = std::min(shifted, slowest(g, one));
  }
  given.shifted = BytesPerSecond(shifted);
  const double leaves_its_domain = static_cast<double>(g.gpus - g.domain) / (g.gpus - 1);
  given.all_pairs = BytesPerSecond(slowest(g, all) * leaves_its_domain);
  given.all_pairs_latency = SimTime(std::llround(latencies / (static_cast<double>(g.gpus) * (g.gpus - 1))));
  return given;
}

}  // namespace echo::network
