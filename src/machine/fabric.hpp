// The kind of fabric between nodes and its packet routing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace echo::machine {

// minimal: one shortest path per destination, as in InfiniBand's static tables. ecmp: at every switch one of
// the shortest next hops, by a hash of the flow (RFC 2992). adaptive: packets spread evenly over all of them.
// valiant: through a random intermediate switch (Valiant 1982).
enum class Routing : std::int8_t { minimal, ecmp, adaptive, valiant };
inline constexpr std::array<std::string_view, 4> routing_names{"minimal", "ecmp", "adaptive", "valiant"};

// How senders pace packets where links are shared, by its name in packets/congestion_controls. none: at the
// rate of the link, held back by the flow control of links alone.
enum class CongestionControl : std::int8_t { dcqcn, dctcp, hpcc, none, swift, timely };
inline constexpr std::array<std::string_view, 6> congestion_control_names{"dcqcn", "dctcp", "hpcc",
                                                                          "none",  "swift", "timely"};

// Kinds of fabric: each has its default routing and the latency of a hop through one of its switches.
enum class Fabric : std::int8_t { infiniband, roce, ethernet, slingshot, efa };
inline constexpr std::array<std::string_view, 5> fabric_names{"infiniband", "roce", "ethernet", "slingshot",
                                                              "efa"};

}  // namespace echo::machine
