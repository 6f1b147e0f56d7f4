// A machine as vertices and directed links: what flows run over. Topologies build it (topology.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/csr.hpp"
#include "base/units.hpp"

namespace echo::machine {

// Where a link is, from the GPU outwards; `direct` joins two GPUs (mesh, torus).
enum class LinkPlace : std::int8_t { scale_up, nic, leaf, spine, global, direct };

struct Link {
  std::int32_t from = 0, to = 0;  // vertices
  BytesPerSecond bandwidth;       // one direction
  SimTime latency{};
  LinkPlace place{};
  friend bool operator==(const Link&, const Link&) = default;
};

// Vertices [0, gpus) are GPUs, node by node, in the order of the machine; switches follow. Contract: every
// two GPUs can reach each other; bandwidths are positive.
struct NetworkGraph {
  std::int32_t gpus = 0, vertices = 0;
  std::vector<Link> links;
  Csr<std::int32_t> out;  // [vertices] ids of the links that leave each

  // Both directions of a cable; returns the id of the first, the other follows it.
  std::int32_t join(std::int32_t a, std::int32_t b, BytesPerSecond bandwidth, SimTime latency,
                    LinkPlace place) {
    links.push_back({a, b, bandwidth, latency, place});
    links.push_back({b, a, bandwidth, latency, place});
    return static_cast<std::int32_t>(links.size()) - 2;
  }
  void index_links();  // fills `out` once all links are there
};

}  // namespace echo::machine
