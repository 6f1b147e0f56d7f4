// The fabric that packets cross: hosts, switches, and links, each of two directed ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.hpp"

namespace echo::packets {

struct Link {
  std::int32_t a = 0, b = 0;         // nodes
  std::int64_t bits_per_second = 0;  // each way
  SimTime delay{};
  double error_rate = 0;  // share of packets lost on the wire, each way
  friend bool operator==(const Link&, const Link&) = default;
};

// Nodes are numbered from 0. Link i has port 2 i from a to b and port 2 i + 1 from b to a; a port is the
// sender's end of one direction, and `opposite` is the port on which its receiver sends back.
struct Fabric {
  std::vector<std::uint8_t> is_switch;  // [node]
  std::vector<Link> links;

  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(is_switch.size()); }
  [[nodiscard]] std::int32_t ports() const { return 2 * static_cast<std::int32_t>(links.size()); }
  [[nodiscard]] const Link& link_of(std::int32_t port) const {
    return links[static_cast<std::size_t>(port / 2)];
  }
  [[nodiscard]] std::int32_t sender(std::int32_t port) const {
    return port % 2 == 0 ? link_of(port).a : link_of(port).b;
  }
  [[nodiscard]] std::int32_t receiver(std::int32_t port) const { return sender(port ^ 1); }
  [[nodiscard]] static constexpr std::int32_t opposite(std::int32_t port) { return port ^ 1; }
  [[nodiscard]] bool is_host(std::int32_t node) const {
    return is_switch[static_cast<std::size_t>(node)] == 0;
  }
  friend bool operator==(const Fabric&, const Fabric&) = default;
};

// One message of `bytes` from a host to a host. `after`: the flow (its place in the list) whose completion
// starts it; -1: it starts at `start`.
struct Flow {
  std::int32_t source = 0, destination = 0, priority = 3;
  std::int64_t bytes = 0;
  SimTime start{};
  std::int32_t after = -1;
  std::vector<std::int32_t> nodes = {};  // the path to take, hosts included; empty: by the routing
  std::vector<std::int32_t> ports = {};  // the same by its ports, where links lie side by side
  friend bool operator==(const Flow&, const Flow&) = default;
};

// When a flow started, and how long until its sender had the last acknowledgement.
struct FlowTime {
  SimTime start{}, duration{};
  friend bool operator==(const FlowTime&, const FlowTime&) = default;
};

}  // namespace echo::packets
