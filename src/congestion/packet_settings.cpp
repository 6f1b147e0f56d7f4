#include "congestion/packet_settings.hpp"

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/named_table.hpp"

namespace echo::congestion {

using packets::Parameters;

// A pause takes effect after both ways and the packets that either end has begun to send (IEEE 802.1Q,
// priority-based flow control): 2 rate delay, two full packets, one of the pause's own delay, one spare.
static double headroom_of(const Parameters& parameters, std::int64_t fastest, SimTime longest_delay) {
  return 2.0 * static_cast<double>(fastest) / 8.0 * to_seconds(longest_delay) + 4.0 * parameters.wire_bytes;
}

static packets::Routing routing_of(machine::Routing routing) {
  switch (routing) {
    case machine::Routing::minimal:
      return packets::Routing::minimal;
    case machine::Routing::adaptive:
      return packets::Routing::adaptive;
    case machine::Routing::ecmp:
    case machine::Routing::valiant:
      break;
  }
  return packets::Routing::ecmp;  // of answers; flows are given their paths
}

static const packets::CongestionControl& control_of(const machine::ClusterSpec& cluster) {
  const std::string_view name = machine::congestion_control_names[at(cluster.congestion_control)];
  const std::int32_t index = find_named(packets::congestion_control_table(), name);
  ECHO_EXPECT(index >= 0);
  return *packets::congestion_control_table()[at(index)];
}

machine::Routing path_choice(const machine::ClusterSpec& cluster) {
  const bool spreads = cluster.routing == machine::Routing::adaptive;
  return spreads && control_of(cluster).has_telemetry ? machine::Routing::ecmp : cluster.routing;
}

PacketSettings packet_settings(const machine::ClusterSpec& cluster, std::int64_t fastest,
                               SimTime longest_delay) {
  const std::string_view name = machine::congestion_control_names[at(cluster.congestion_control)];
  PacketSettings settings{&control_of(cluster), packets::default_parameters(name)};
  Parameters& parameters = settings.parameters;
  parameters.time_resolution_ns = 0;
  parameters.routing = static_cast<double>(routing_of(path_choice(cluster)));
  const bool has_credits = cluster.fabric == machine::Fabric::infiniband;
  parameters.flow_control =
      static_cast<double>(has_credits ? packets::FlowControl::credits : packets::FlowControl::pfc);
  for (const machine::PacketSetting& one : cluster.packets)
    if (one.control.empty() || one.control == name) set_parameter(parameters, one.name, one.value);
  if (parameters.headroom_bytes < 0)
    parameters.headroom_bytes = headroom_of(parameters, fastest, longest_delay);
  return settings;
}

double wire_share(const Parameters& parameters) { return parameters.payload_bytes / parameters.wire_bytes; }

}  // namespace echo::congestion
