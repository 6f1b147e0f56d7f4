// Fabrics of flits: routers, channels between them and to nodes, and where a packet goes next. Families are
// plug-ins in flit_topologies/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter_rng.hpp"

namespace echo::packets {

// Draws of one run, in order.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  // 0 to `count` - 1.
  [[nodiscard]] std::int32_t below(std::int32_t count) {
    return static_cast<std::int32_t>(draw(seed_, 0, next_++) % static_cast<std::uint64_t>(count));
  }
  [[nodiscard]] double unit() { return draw_unit(seed_, 0, next_++); }

 private:
  std::uint64_t seed_, next_ = 0;
};

// One direction. A flit that a router sends in cycle t is read at its other end in cycle t + 1 + latency.
struct Channel {
  std::int32_t from = -1, from_port = -1;  // router; -1: a node injects
  std::int32_t to = -1, to_port = -1;      // router; -1: a node reads
  std::int32_t node = -1;                  // where one end is a node
  std::int32_t latency = 1;                // cycles, of flits and of credits back
};

// Ports of a router that a packet asks for, and the virtual channels that it may take there, both included.
struct Route {
  std::int32_t port = -1, first_channel = 0, last_channel = 0;
};

// What routing keeps of a packet.
struct RoutedPacket {
  std::int32_t source = 0, destination = 0;
  std::int32_t phase = 0;  // which side of a dateline it is on
};

// How full the downstream buffers of a router's ports are: of adaptive routing.
class Fullness {
 public:
  virtual ~Fullness() = default;
  [[nodiscard]] virtual std::int32_t used(std::int32_t port) const = 0;  // flits
};

class FlitTopology {
 public:
  FlitTopology() = default;
  virtual ~FlitTopology() = default;
  FlitTopology(const FlitTopology&) = delete;
  FlitTopology& operator=(const FlitTopology&) = delete;

  std::int32_t nodes = 0, routers = 0, ports = 0;  // ports: of a router, in and out
  std::int32_t digit_base = 2, digits = 1;         // of a node's number, for traffic by digits
  std::vector<Channel> channels;

  // Where a packet that came into `router` by `in_port` (of channel `in_channel`) goes.
  [[nodiscard]] virtual Route route(std::int32_t router, std::int32_t in_port, std::int32_t in_channel,
                                    std::int32_t virtual_channels, RoutedPacket&, Draws&,
                                    const Fullness&) const = 0;
  // The virtual channels that a node may inject into.
  [[nodiscard]] virtual Route injection(std::int32_t virtual_channels, Draws&) const {
    return {-1, 0, virtual_channels - 1};
  }
  // Without deadlock.
  [[nodiscard]] virtual std::int32_t least_virtual_channels() const { return 1; }
};

struct TopologyFamily {
  const char* name;     // "mesh"
  const char* pattern;  // of the names of its members: "mesh8x8"
  const char* source;
  // The member of this name; nothing where the name is not of this family.
  std::unique_ptr<FlitTopology> (*make)(std::string_view name);
};

[[nodiscard]] std::span<const TopologyFamily* const> flit_topology_table();  // sorted by name

// Numbers in a name: {"mesh", "x"} takes 8 and 8 out of "mesh8x8". Nothing where the name differs, or a
// number is not 1 to 1024.
[[nodiscard]] std::optional<std::vector<std::int32_t>> numbers_in(
    std::string_view name, std::initializer_list<std::string_view> words);

}  // namespace echo::packets
