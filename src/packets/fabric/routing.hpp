// Shortest paths of a fabric, and which of them a flow takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/csr.hpp"
#include "packets/fabric/fabric.hpp"

namespace echo::packets {

// For each pair of a node and a host: the ports on a shortest path (in hops; hosts do not forward).
class Routes {
 public:
  explicit Routes(const Fabric&);
  // Empty where `host` cannot be reached. Order: as the reference simulator lists them, by falling number of
  // the next node.
  [[nodiscard]] std::span<const std::int32_t> next_ports(std::int32_t node, std::int32_t host) const;
  [[nodiscard]] std::int32_t nodes() const { return nodes_; }

 private:
  std::int32_t nodes_ = 0;
  std::vector<std::int32_t> host_rank_;  // [node], -1 for a switch
  Csr<std::int32_t> ports_;              // [host rank x node]
};

// What the hash of a switch sees of a packet. Acknowledgements have ends exchanged.
struct FlowLabel {
  std::int32_t source = 0, destination = 0;
  std::uint16_t source_port = 0, destination_port = 0;
  [[nodiscard]] FlowLabel reversed() const { return {destination, source, destination_port, source_port}; }
};

// MurmurHash3 (32 bits) over both addresses and ports with the number of the switch as its seed: how HPCC's
// simulator chooses among equal paths.
[[nodiscard]] std::uint32_t path_hash(const FlowLabel&, std::uint32_t seed);

// The ports of the path, at the source first; empty where the destination cannot be reached.
// hashed: each node chooses by path_hash; first: each takes the first port.
enum class PathChoice : std::int8_t { hashed, first };
[[nodiscard]] std::vector<std::int32_t> path_of(const Fabric&, const Routes&, const FlowLabel&, PathChoice);

// The ports between neighbours of a list of nodes; empty where two of them share no link.
[[nodiscard]] std::vector<std::int32_t> ports_along(const Fabric&, std::span<const std::int32_t> nodes);

// The longest round trip of any pair of hosts, and the largest product of bandwidth and delay: what HPCC's
// run.py gives every flow as its base RTT and its window (GLOBAL_T = 1). Nanoseconds rounded down per hop,
// as there.
struct RoundTrip {
  SimTime longest{};
  std::int64_t bytes = 0;
};
[[nodiscard]] RoundTrip round_trip(const Fabric&, std::span<const std::int32_t> path, std::int64_t payload);
[[nodiscard]] RoundTrip longest_round_trip(const Fabric&, const Routes&, std::int64_t payload);

}  // namespace echo::packets
