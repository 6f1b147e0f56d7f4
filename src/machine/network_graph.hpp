// A machine as a graph of vertices and directed links that flows use, built by topologies (topology.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"

namespace echo::machine {

// Where a link is, from the GPU outwards: scale_up joins a GPU and its NVSwitch, host a GPU and a NIC that
// others use too, nic a GPU (or such a NIC) and its leaf switch, leaf and spine the levels above, global the
// groups of a dragonfly, ring the routers of a torus; direct joins two GPUs of one node.
enum class LinkPlace : std::int8_t { scale_up, host, nic, leaf, spine, global, ring, direct };

struct Link {
  std::int32_t from = 0, to = 0;  // vertices
  BytesPerSecond bandwidth;       // one direction
  SimTime latency{};              // of the switch it enters; none where it enters a GPU or NIC
  LinkPlace place{};
  friend bool operator==(const Link&, const Link&) = default;
};

// Vertices [0, gpus) are GPUs, node by node, in the order of the machine; NICs and switches follow. Contract:
// every two GPUs can reach each other through switches and through GPUs of their own scale-up domains;
// bandwidths are positive; the two directions of a cable are adjacent, links i and i ^ 1.
struct NetworkGraph {
  std::int32_t gpus = 0, vertices = 0;
  std::int32_t domain = 1;  // GPUs that share a scale-up network: [0, domain), [domain, 2 domain), ...
  std::vector<Link> links;
  Csr<std::int32_t> out;  // [vertices] ids of the links that leave each
  // A torus: routers [first_router, ...), the last of `dims` (each at least 2) running fastest. The cable
  // from router r forwards along dimension k is links first_ring + 2 (k * routers + r). Empty elsewhere.
  std::vector<std::int32_t> dims;
  std::int32_t first_router = 0, first_ring = 0;

  std::int32_t add_vertex() { return vertices++; }
  // Both directions of a cable; returns the id of the first, the other follows it.
  std::int32_t join(std::int32_t a, std::int32_t b, BytesPerSecond bandwidth, SimTime latency,
                    LinkPlace place) {
    links.push_back({a, b, bandwidth, latency, place});
    links.push_back({b, a, bandwidth, latency, place});
    return static_cast<std::int32_t>(links.size()) - 2;
  }
  // The same between a GPU or NIC and the switch above it; only the direction into the switch has latency.
  std::int32_t hang(std::int32_t below, std::int32_t above, BytesPerSecond bandwidth, SimTime latency,
                    LinkPlace place) {
    const std::int32_t first = join(below, above, bandwidth, latency, place);
    links.back().latency = SimTime::zero();
    return first;
  }
  void index_links();  // fills `out` once all links exist
  friend bool operator==(const NetworkGraph&, const NetworkGraph&) = default;
};

}  // namespace echo::machine
