// Source: Dally and Towles, "Principles and practices of interconnection networks", 2004, table 3.1; as
// BookSim 2 has them: uniform traffic may go to its own source, and patterns of digits see the digits that
// the topology names.
#include "packets/flits/traffic.hpp"

#include <array>
#include <bit>

namespace echo::packets {
namespace {

std::string none(const FlitTopology&) { return {}; }

int bits_of(const FlitTopology& topology) {
  return std::bit_width(static_cast<std::uint32_t>(topology.nodes)) - 1;
}

std::string needs_bits(const FlitTopology& topology) {
  if (std::has_single_bit(static_cast<std::uint32_t>(topology.nodes))) return {};
  return "its " + std::to_string(topology.nodes) + " nodes are no power of two";
}

std::string needs_even_bits(const FlitTopology& topology) {
  const std::string reason = needs_bits(topology);
  if (!reason.empty() || bits_of(topology) % 2 == 0) return reason;
  return "its " + std::to_string(topology.nodes) + " nodes are no even power of two";
}

// Adds `shift` to every digit.
std::int32_t shifted(std::int32_t source, const FlitTopology& topology, std::int32_t shift) {
  std::int32_t result = 0, scale = 1;
  for (std::int32_t i = 0; i < topology.digits; ++i, scale *= topology.digit_base)
    result += scale * ((source / scale % topology.digit_base + shift) % topology.digit_base);
  return result;
}

std::int32_t uniform(std::int32_t, const FlitTopology& topology, Draws& draws) {
  return draws.below(topology.nodes);
}

std::int32_t transpose(std::int32_t source, const FlitTopology& topology, Draws&) {
  const int half = bits_of(topology) / 2;
  const std::int32_t low = (1 << half) - 1;
  return (source >> half & low) | (source & low) << half;
}

std::int32_t complement(std::int32_t source, const FlitTopology& topology, Draws&) {
  return ~source & (topology.nodes - 1);
}

std::int32_t reversed(std::int32_t source, const FlitTopology& topology, Draws&) {
  std::int32_t result = 0;
  for (std::int32_t n = topology.nodes; n > 1; n >>= 1, source >>= 1) result = result << 1 | (source & 1);
  return result;
}

std::int32_t shuffle(std::int32_t source, const FlitTopology& topology, Draws&) {
  const std::int32_t doubled = source << 1;
  return (doubled & (topology.nodes - 1)) | ((doubled & topology.nodes) != 0 ? 1 : 0);
}

std::int32_t tornado(std::int32_t source, const FlitTopology& topology, Draws&) {
  return shifted(source, topology, (topology.digit_base + 1) / 2 - 1);
}

std::int32_t neighbour(std::int32_t source, const FlitTopology& topology, Draws&) {
  return shifted(source, topology, 1);
}

}  // namespace

std::span<const TrafficPattern> traffic_table() {
  static constexpr std::array<TrafficPattern, 7> table{
      {{"uniform", "any node, the source too", none, uniform},
       {"transpose", "halves of the node's bits exchanged", needs_even_bits, transpose},
       {"bitcomp", "bits inverted", needs_bits, complement},
       {"bitrev", "bits reversed", needs_bits, reversed},
       {"shuffle", "bits rotated by one", needs_bits, shuffle},
       {"tornado", "almost half way round in every dimension", none, tornado},
       {"neighbor", "the next in every dimension", none, neighbour}}};
  return table;
}

}  // namespace echo::packets
