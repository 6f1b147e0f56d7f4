// Routes: the links of a flow between two GPUs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "machine/fabric.hpp"
#include "machine/network_graph.hpp"
#include "network/link_use.hpp"

namespace echo::network {

// Routes over one graph, which must outlive the router. A pure function of the arguments, the policy and the
// seed; the router only caches tables of the destination switches so far, so that a warm one allocates
// nothing.
class Router {
 public:
  Router(const machine::NetworkGraph& graph, machine::Routing policy, std::uint64_t seed = 0);

  // Replaces `out` by the links from one GPU to another, none for a GPU to itself. `flow` separates flows
  // between the same two GPUs, which may take different paths.
  void route(std::int32_t from, std::int32_t to, std::uint64_t flow, std::vector<LinkUse>& out);

  [[nodiscard]] bool reaches(std::int32_t from, std::int32_t to);

  // Latency of the first path of such a route, including switches and NVLink.
  [[nodiscard]] SimTime latency_of(std::span<const LinkUse> route) const;

 private:
  // The path from a GPU up to the switch of its NIC: one link, or two through a shared NIC.
  struct Port {
    std::int32_t fabric = 0;  // the switch
    std::array<std::int32_t, 2> up{-1, -1};
    std::int32_t place = 0;  // among the ports of that switch
  };
  // Shortest paths to one switch from every vertex that is not a GPU.
  struct Table {
    std::vector<std::int32_t> cost;  // -1 = cannot be reached
    std::vector<std::int32_t> row;   // of `next`, -1 = not asked for yet
    Csr<std::int32_t> next;          // the first links of those paths
  };
  struct Exit {
    std::int32_t gpu = -1, cost = -1;
    const Port *port = nullptr, *entry = nullptr;
  };

  void find_ports();
  bool route_inside(std::int32_t from, std::int32_t to, std::vector<LinkUse>& out) const;
  [[nodiscard]] Exit exit_of(std::int32_t gpu, std::int32_t to, std::uint64_t key);
  [[nodiscard]] Exit best_exit(std::int32_t from, std::int32_t to, std::uint64_t key);
  [[nodiscard]] std::int32_t cost_between(std::int32_t from, std::int32_t to);
  [[nodiscard]] std::int32_t torus_hops(std::int32_t from, std::int32_t to) const;
  [[nodiscard]] std::span<const std::int32_t> next_links(std::int32_t at, std::int32_t to);
  [[nodiscard]] bool passes(const machine::Link&) const;
  Table& table_of(std::int32_t to);
  void fill_table(std::int32_t to, Table& table) const;
  // Valid until the next call.
  [[nodiscard]] std::span<const std::int32_t> next_in(Table& table, std::int32_t at) const;
  void cross_fabric(std::int32_t from, const Port& entry, std::uint64_t key, std::vector<LinkUse>& out);
  void spread(std::int32_t from, std::int32_t to, std::vector<LinkUse>& out);
  void pick(std::int32_t from, const Port& entry, std::uint64_t key, std::vector<LinkUse>& out);

  [[nodiscard]] const machine::Link& link(std::int32_t id) const {
    return graph_->links[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t beyond_gpus(std::int32_t vertex) const {
    return static_cast<std::size_t>(vertex - graph_->gpus);
  }

  const machine::NetworkGraph* graph_;
  machine::Routing policy_;
  std::uint64_t seed_;
  Csr<Port> ports_;                     // [gpus]
  std::vector<std::int32_t> attached_;  // switches with ports
  std::vector<Table> tables_;           // [vertices beyond GPUs], filled on demand
  std::vector<std::int32_t> torus_next_, frontier_, later_;
  std::vector<double> share_;  // [vertices beyond GPUs]
};

}  // namespace echo::network
