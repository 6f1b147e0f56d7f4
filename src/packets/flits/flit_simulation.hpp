// Latency and throughput of a fabric of flits at a rate of injection, measured as BookSim does.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "packets/flits/router.hpp"
#include "packets/flits/traffic.hpp"

namespace echo::packets {

// Cycles. Packets' latencies count from their creation at the node (queue of the source included), network
// latencies from the first flit's injection, flits' from their own.
struct FlitOutcome {
  bool is_stable = false;
  double packet_latency = 0, least_packet_latency = 0, most_packet_latency = 0;
  double network_latency = 0, flit_latency = 0, hops = 0;
  double accepted_rate = 0, least_accepted_rate = 0;  // flits of a node in a cycle; of the worst node
  std::int64_t cycles = 0;
  friend bool operator==(const FlitOutcome&, const FlitOutcome&) = default;
};

// Contract: the topology has the virtual channels it needs and admits the traffic.
[[nodiscard]] FlitOutcome simulate_flits(const FlitTopology&, const TrafficPattern&, const FlitSettings&);

class FlitSimulation {
 public:
  FlitSimulation(const FlitTopology&, const TrafficPattern&, const FlitSettings&);
  [[nodiscard]] FlitOutcome run();

 private:
  struct Wire {
    std::deque<std::pair<std::int32_t, Flit>> flits;             // when read
    std::deque<std::pair<std::int32_t, std::uint64_t>> credits;  // against its direction
  };
  struct Node {
    Credits credits;
    std::int32_t next_issue = 0;  // the first cycle in which no packet was tried for
    std::int32_t packet = -1, flits_left = 0, channel = -1, last_channel = -1;
    std::int32_t in = -1, out = -1;  // channels
    std::int64_t accepted = 0;       // flits, since the statistics began
  };
  struct Mean {
    double sum = 0, least = 0, most = 0;
    std::int64_t count = 0;
    void add(double value);
    [[nodiscard]] double value() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
  };
  enum class Phase : std::int8_t { warming_up, running, draining };

  void cycle();
  void read();
  void inject(std::int32_t node);
  void issue(std::int32_t node);
  void choose_channel(Node& node);
  void retire(std::int32_t node, const Flit& flit);
  void write();
  void clear_statistics();
  [[nodiscard]] bool is_over_limit() const;
  [[nodiscard]] bool sample(int& converged, int phases);
  [[nodiscard]] bool drain();
  [[nodiscard]] double accepted_rate() const;
  [[nodiscard]] bool has_measured_packets() const;

  const FlitTopology& topology_;
  const TrafficPattern& traffic_;
  const FlitSettings settings_;
  Draws draws_;
  std::vector<Router> routers_;
  std::vector<Wire> wires_;  // [channel]
  std::vector<Node> nodes_;
  std::vector<std::int32_t> in_channels_, out_channels_;  // [router x port], -1: none
  std::vector<FlitPacket> packets_;
  std::vector<std::int32_t> free_packets_;
  std::vector<std::pair<std::int32_t, Flit>> read_flits_;  // of nodes, in this cycle
  Phase phase_ = Phase::warming_up;
  std::int32_t now_ = 0, statistics_from_ = 0, drain_from_ = 0;
  std::int64_t measured_flits_ = 0, flits_on_way_ = 0, created_on_way_ = 0;  // created: sum of cycles
  double last_latency_ = 0, last_accepted_ = 0;
  Mean packet_latency_, network_latency_, flit_latency_, hops_;
};

}  // namespace echo::packets
