// A route has three parts. Inside a scale-up domain GPUs communicate over NVLink alone. Between domains a
// GPU uses its own NIC, unless a neighbour's is nearer to the destination by more than the step over NVLink:
// then the data goes there first (PXN: NCCL src/graph/paths.cc, ncclTopoComputePaths). So rails without a
// spine are crossed over NVLink, and rails with one are not. Across the fabric a flow follows shortest paths
// by hops; the policy selects among several:
//   minimal   by the destination's port at its switch, as InfiniBand's fat-tree tables do (D-mod-K: Zahavi,
//             "Fat-tree routing and node ordering providing contention free traffic for MPI global
//             collectives", JPDC 2012); on a torus in the order of its dimensions
//   ecmp      at every switch by a hash of the flow: two flows may share a cable while another is idle
//   adaptive  an equal share over every next hop: packet spray, the limit that adaptive routing tends to
//   valiant   minimal to a random switch, minimal from there
// Planes (several ports of a GPU that are not connected with each other) are chosen once per flow. Distances
// are kept by switch, not by GPU. Neglected: queues that adaptive routing reacts to, paths longer than the
// shortest that it would then take.
#include "network/routing.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"

namespace echo::network {

using machine::Link;
using machine::LinkPlace;
using machine::Routing;

// A trunk between groups has a higher cost than any path inside them, so that no third group lies on a
// shortest path.
static std::int32_t cost_of(const Link& link) { return link.place == LinkPlace::global ? 4 : 1; }

Router::Router(const machine::NetworkGraph& graph, Routing policy, std::uint64_t seed)
    : graph_(&graph), policy_(policy), seed_(seed) {
  ECHO_EXPECT(graph.out.rows() == graph.vertices);
  const auto others = static_cast<std::size_t>(graph.vertices - graph.gpus);
  tables_.resize(others);
  share_.assign(others, 0.0);
  find_ports();
}

void Router::find_ports() {
  std::vector<std::int32_t> taken(static_cast<std::size_t>(graph_->vertices), 0);
  const auto add = [&](std::int32_t fabric, std::array<std::int32_t, 2> up) {
    std::int32_t& place = taken[at(fabric)];
    if (place == 0) attached_.push_back(fabric);
    ports_.push({.fabric = fabric, .up = up, .place = place++});
  };
  for (std::int32_t gpu = 0; gpu < graph_->gpus; ++gpu) {
    for (const std::int32_t id : graph_->out.row(gpu)) {
      if (link(id).place == LinkPlace::nic) add(link(id).to, {id, -1});
      if (link(id).place != LinkPlace::host) continue;
      for (const std::int32_t further : graph_->out.row(link(id).to))
        if (link(further).place == LinkPlace::nic) add(link(further).to, {id, further});
    }
    ports_.close_row();
  }
}

// Over NVLink: a link between the two alone, or one switch.
bool Router::route_inside(std::int32_t from, std::int32_t to, std::vector<LinkUse>& out) const {
  if (from == to) return true;
  if (from / graph_->domain != to / graph_->domain) return false;
  for (const std::int32_t up : graph_->out.row(from)) {
    const LinkPlace place = link(up).place;
    if (place == LinkPlace::direct && link(up).to == to) {
      out.push_back({up});
      return true;
    }
    if (place != LinkPlace::scale_up) continue;
    for (const std::int32_t there : graph_->out.row(to)) {
      if (link(there).place != LinkPlace::scale_up || link(there).to != link(up).to) continue;
      out.push_back({up});
      out.push_back({there ^ 1});
      return true;
    }
  }
  return false;
}

// The pair that `key` selects among the nearest pairs of ports; a GPU that cannot reach the other from any
// port has no cost.
Router::Exit Router::exit_of(std::int32_t gpu, std::int32_t to, std::uint64_t key) {
  Exit best{.gpu = gpu};
  std::uint64_t alike = 0;
  for (int pass = 0; pass < 2; ++pass) {
    std::uint64_t wanted = alike > 0 ? key % alike : 0;
    for (const Port& port : ports_.row(gpu)) {
      for (const Port& entry : ports_.row(to)) {
        const std::int32_t cost = cost_between(port.fabric, entry.fabric);
        if (cost < 0) continue;
        if (pass == 0) {
          if (best.cost < 0 || cost < best.cost) best = {gpu, cost, &port, &entry}, alike = 0;
          alike += cost == best.cost ? 1 : 0;
        } else if (cost == best.cost && wanted-- == 0) {
          best.port = &port, best.entry = &entry;
        }
      }
    }
    if (alike <= 1) break;
  }
  return best;
}

// The GPU itself, or a neighbour in its domain that saves more than the step to it; of several such
// neighbours, the one whose place in the domain is that of the destination in its own.
Router::Exit Router::best_exit(std::int32_t from, std::int32_t to, std::uint64_t key) {
  Exit best = exit_of(from, to, key);
  if (best.cost >= 0 && best.cost <= 1) return best;
  const std::int32_t domain = graph_->domain, first = from / domain * domain;
  for (std::int32_t i = 0; i < domain; ++i) {
    const std::int32_t neighbour = first + (to + i) % domain;
    if (neighbour == from || neighbour >= graph_->gpus) continue;
    Exit exit = exit_of(neighbour, to, key);
    if (exit.cost < 0) continue;
    exit.cost += 1;
    if (best.cost < 0 || exit.cost < best.cost) best = exit;
    if (best.cost == 1) break;
  }
  return best;
}

std::int32_t Router::cost_between(std::int32_t from, std::int32_t to) {
  if (from == to) return 0;
  return graph_->dims.empty() ? table_of(to).cost[beyond_gpus(from)] : torus_hops(from, to);
}

Router::Table& Router::table_of(std::int32_t to) {
  Table& table = tables_[beyond_gpus(to)];
  if (table.cost.empty()) fill_table(to, table);
  return table;
}

// Over switches only: GPUs and their NICs do not forward.
bool Router::passes(const Link& l) const {
  return l.from >= graph_->gpus && l.to >= graph_->gpus && l.place != LinkPlace::nic &&
         l.place != LinkPlace::host && l.place != LinkPlace::scale_up;
}

// Searches from the switch outwards, nearest first.
void Router::fill_table(std::int32_t to, Table& table) const {
  table.cost.assign(tables_.size(), -1);
  table.row.assign(tables_.size(), -1);
  std::vector<std::vector<std::int32_t>> reached{{to}};  // [cost]
  for (std::size_t cost = 0; cost < reached.size(); ++cost) {
    for (std::size_t i = 0; i < reached[cost].size(); ++i) {
      const std::int32_t at = reached[cost][i];
      std::int32_t& known = table.cost[beyond_gpus(at)];
      if (known >= 0) continue;
      known = static_cast<std::int32_t>(cost);
      for (const std::int32_t id : graph_->out.row(at)) {
        const Link& inwards = link(id ^ 1);
        if (!passes(inwards) || table.cost[beyond_gpus(inwards.from)] >= 0) continue;
        const std::size_t further = cost + static_cast<std::size_t>(cost_of(inwards));
        if (reached.size() <= further) reached.resize(further + 1);
        reached[further].push_back(inwards.from);
      }
    }
  }
}

std::span<const std::int32_t> Router::next_in(Table& table, std::int32_t at) const {
  std::int32_t& row = table.row[beyond_gpus(at)];
  if (row < 0) {
    const std::int32_t cost = table.cost[beyond_gpus(at)];
    row = table.next.rows();
    if (cost > 0)
      for (const std::int32_t id : graph_->out.row(at))
        if (passes(link(id)) && table.cost[beyond_gpus(link(id).to)] == cost - cost_of(link(id)))
          table.next.push(id);
    table.next.close_row();
  }
  return table.next.row(row);
}

std::span<const std::int32_t> Router::next_links(std::int32_t at, std::int32_t to) {
  if (graph_->dims.empty()) return next_in(table_of(to), at);
  torus_next_.clear();
  const std::int32_t a = at - graph_->first_router, b = to - graph_->first_router;
  std::int32_t routers = 1;
  for (const std::int32_t size : graph_->dims) routers *= size;
  std::int32_t step = routers, first = graph_->first_ring;
  for (const std::int32_t size : graph_->dims) {
    step /= size;
    const std::int32_t mine = a / step % size, ahead = (b / step % size - mine + size) % size;
    const std::int32_t behind = a + ((mine + size - 1) % size - mine) * step;
    if (ahead > 0 && 2 * ahead <= size) torus_next_.push_back(first + 2 * a);
    if (ahead > 0 && 2 * ahead >= size) torus_next_.push_back(first + 2 * behind + 1);
    first += 2 * routers;
  }
  return torus_next_;
}

std::int32_t Router::torus_hops(std::int32_t from, std::int32_t to) const {
  std::int32_t a = from - graph_->first_router, b = to - graph_->first_router, hops = 0;
  for (std::size_t i = graph_->dims.size(); i-- > 0;) {
    const std::int32_t size = graph_->dims[i], apart = std::abs(a % size - b % size);
    hops += std::min(apart, size - apart);
    a /= size, b /= size;
  }
  return hops;
}

// One path: at every switch one of the shortest next hops.
void Router::pick(std::int32_t from, const Port& entry, std::uint64_t key, std::vector<LinkUse>& out) {
  for (std::int32_t at = from; at != entry.fabric;) {
    const auto next = next_links(at, entry.fabric);
    std::uint64_t choice = 0;
    if (policy_ == Routing::ecmp) choice = draw(seed_, key, static_cast<std::uint64_t>(at));
    if (policy_ != Routing::ecmp && graph_->dims.empty()) choice = static_cast<std::uint64_t>(entry.place);
    const std::int32_t id = next[choice % next.size()];
    out.push_back({id});
    at = link(id).to;
  }
}

// All shortest paths, with an equal share at every switch to each next hop. The furthest switches come
// first: they have then received everything they will get.
void Router::spread(std::int32_t from, std::int32_t to, std::vector<LinkUse>& out) {
  frontier_.assign(1, from);
  share_[beyond_gpus(from)] = 1.0;
  while (frontier_.size() > 1 || frontier_.front() != to) {
    std::int32_t furthest = 0;
    for (const std::int32_t at : frontier_) furthest = std::max(furthest, cost_between(at, to));
    later_.clear();
    for (const std::int32_t at : frontier_)
      if (cost_between(at, to) < furthest) later_.push_back(at);
    for (const std::int32_t at : frontier_) {
      if (cost_between(at, to) < furthest) continue;
      const auto next = next_links(at, to);
      const double each = share_[beyond_gpus(at)] / static_cast<double>(next.size());
      share_[beyond_gpus(at)] = 0.0;
      for (const std::int32_t id : next) {
        out.push_back({id, each});
        double& share = share_[beyond_gpus(link(id).to)];
        if (share == 0.0) later_.push_back(link(id).to);
        share += each;
      }
    }
    frontier_.swap(later_);
  }
  share_[beyond_gpus(to)] = 0.0;
}

void Router::cross_fabric(std::int32_t from, const Port& entry, std::uint64_t key,
                          std::vector<LinkUse>& out) {
  if (from == entry.fabric) return;
  switch (policy_) {
    case Routing::adaptive:
      spread(from, entry.fabric, out);
      return;
    case Routing::valiant: {
      const std::uint64_t at = draw(seed_, key, 0) % attached_.size();
      Port half = entry;
      half.fabric = attached_[at];
      if (cost_between(from, half.fabric) >= 0 && cost_between(half.fabric, entry.fabric) >= 0) {
        pick(from, half, key, out);
        from = half.fabric;
      }
      pick(from, entry, key, out);
      return;
    }
    case Routing::minimal:
    case Routing::ecmp:
      pick(from, entry, key, out);
      return;
  }
}

void Router::route(std::int32_t from, std::int32_t to, std::uint64_t flow, std::vector<LinkUse>& out) {
  ECHO_EXPECT(from >= 0 && from < graph_->gpus && to >= 0 && to < graph_->gpus);
  out.clear();
  if (route_inside(from, to, out)) return;
  const auto pair = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  const std::uint64_t key = draw(seed_, pair, flow);
  // Planes are used in turn, except where a hash distributes flows over them.
  const Exit exit = best_exit(from, to, policy_ == Routing::ecmp ? key : flow);
  ECHO_EXPECT(exit.cost >= 0);
  route_inside(from, exit.gpu, out);
  for (const std::int32_t up : exit.port->up)
    if (up >= 0) out.push_back({up});
  cross_fabric(exit.port->fabric, *exit.entry, key, out);
  for (std::size_t i = exit.entry->up.size(); i-- > 0;)
    if (exit.entry->up[i] >= 0) out.push_back({exit.entry->up[i] ^ 1});
}

bool Router::reaches(std::int32_t from, std::int32_t to) {
  std::vector<LinkUse> inside;
  return route_inside(from, to, inside) || best_exit(from, to, 0).cost >= 0;
}

SimTime Router::latency_of(std::span<const LinkUse> route) const {
  SimTime latency{};
  std::int32_t at = -1;
  for (const LinkUse& use : route) {
    const Link& l = link(use.link);
    if (at >= 0 && l.from != at) continue;
    latency += l.latency;
    at = l.to;
  }
  return latency;
}

}  // namespace echo::network
