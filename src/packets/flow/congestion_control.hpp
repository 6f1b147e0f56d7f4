// Congestion controls: plug-ins, one file each in congestion_controls/.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "packets/engine/parameters.hpp"
#include "packets/flow/sender.hpp"

namespace echo::packets {

// What a controller may ask of the host of its flow.
class FlowHost {
 public:
  virtual ~FlowHost() = default;
  // Calls Controller::timer(flow, which) after `delay`, instead of an earlier request for the same timer.
  virtual void set_timer(std::int32_t flow, std::int32_t which, SimTime delay) = 0;
  // The same, as if it had been asked for at `since`, at most Controller::looks_back() ago: of what is due at
  // one time, what was asked for first comes first.
  virtual void set_timer_since(std::int32_t flow, std::int32_t which, SimTime delay, SimTime since) = 0;
  virtual void cancel_timer(std::int32_t flow, std::int32_t which) = 0;
  // Sets the rate and moves the time of the next packet as if the last one had been sent at it.
  virtual void change_rate(std::int32_t flow, std::int64_t rate) = 0;
};
inline constexpr std::int32_t timers_of_a_flow = 2;

// One object for all flows of a simulation. All its calls are in the order of simulated time.
class Controller {
 public:
  Controller() = default;
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // `sender` is set to the initial rate and window.
  virtual void start(std::int32_t flow, Sender& sender) = 0;
  virtual void acknowledge(std::int32_t flow, Sender& sender, const Acknowledgement&) = 0;
  virtual void timer(std::int32_t /*flow*/, Sender& /*sender*/, std::int32_t /*which*/, SimTime /*now*/) {}
  [[nodiscard]] virtual SimTime looks_back() const { return {}; }
};

struct CongestionControl {
  const char* name;
  const char* source;
  std::int32_t header_bytes;  // that it adds to data
  bool has_telemetry;         // switches write HopTelemetry
  std::unique_ptr<Controller> (*make)(const Parameters&, std::int32_t flows, FlowHost&);
};

[[nodiscard]] std::span<const CongestionControl* const> congestion_control_table();  // sorted by name

[[nodiscard]] constexpr std::int64_t rate_of_mbps(double mbps) {
  return static_cast<std::int64_t>(mbps * 1e6);
}
// The rate times a factor, fractions of a bit/s cut off.
[[nodiscard]] constexpr std::int64_t scaled_rate(std::int64_t rate, double factor) {
  return static_cast<std::int64_t>(static_cast<double>(rate) * factor);
}

}  // namespace echo::packets
