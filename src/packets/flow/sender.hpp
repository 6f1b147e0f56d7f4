// The sending side of a flow, and what a congestion control sees of the network.
#pragma once

#include <cstdint>
#include <span>

#include "base/units.hpp"
#include "packets/engine/packet.hpp"

namespace echo::packets {

// Rates in whole bit/s, fractions cut off, as the reference keeps them.
struct Sender {
  std::int64_t bytes = 0, next = 0, acknowledged = 0;
  std::int64_t rate = 0, line_rate = 0;
  std::int64_t window = 0;  // bytes; 0: none
  bool scales_window = false;
  SimTime base_rtt{};
  SimTime next_send{};          // pacing: not before
  std::int32_t last_bytes = 0;  // of the last packet, on the wire
  std::int32_t hops = 0;        // links on the path
  std::int8_t priority = 0;

  [[nodiscard]] bool is_finished() const { return acknowledged >= bytes; }
  [[nodiscard]] std::int64_t bytes_left() const { return bytes > next ? bytes - next : 0; }
  [[nodiscard]] bool is_bound_by_window() const {
    if (window == 0) return false;
    std::int64_t limit = window;
    if (scales_window) {
      limit = static_cast<std::int64_t>(static_cast<double>(window) * static_cast<double>(rate) /
                                        static_cast<double>(line_rate));
      if (limit == 0) limit = 1;
    }
    return next - acknowledged >= limit;
  }
};

struct Acknowledgement {
  std::int64_t sequence = 0;
  bool marked = false;
  SimTime now{}, sent{};  // sent: the data packet that it answers
  SimTime last_link{};    // since the last switch began to send it
  std::span<const HopTelemetry> hops;
};

}  // namespace echo::packets
