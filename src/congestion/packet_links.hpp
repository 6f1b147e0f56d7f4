// The links that a group gets among all groups of its kind, from a packet-level simulation of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "congestion/part_run.hpp"
#include "machine/topology.hpp"
#include "network/side_by_side.hpp"

namespace echo::congestion {

// A question that the packet simulator answers: all groups of a kind, side by side on one machine. It keeps
// what it has simulated, so that a size is asked for once.
class PacketLinks {
 public:
  // Groups that are irregular or stay inside a scale-up domain have no packets: see is_plain().
  PacketLinks(const machine::GroupSpan&, network::Traffic, const machine::ClusterSpec&, std::uint64_t seed,
              std::int64_t budget = packet_budget);
  PacketLinks(const PacketLinks&) = delete;  // runs refer to parts
  PacketLinks& operator=(const PacketLinks&) = delete;

  [[nodiscard]] bool is_plain() const { return parts_.empty(); }
  // `closed`, what the closed form says, with the bandwidth with which a node sends while every pair of
  // members exchanges `bytes`, and the latency of the longest path.
  [[nodiscard]] machine::GroupLinks links(const machine::GroupLinks& closed, std::int64_t bytes);

  // Time of flows of `bytes` each, beyond the round trip of an idle network and without what headers take.
  // Linear between powers of two, which alone are simulated.
  [[nodiscard]] double seconds(std::int64_t bytes);
  [[nodiscard]] const std::vector<PartRun>& runs() const { return runs_; }

 private:
  [[nodiscard]] double seconds_of_class(std::int32_t power);

  machine::GroupSpan span_;
  network::Traffic traffic_;
  PacketSettings settings_;
  std::vector<FabricPart> parts_;
  std::vector<PartRun> runs_;  // [part]
  SimTime latency_{};
  std::map<std::int32_t, double> known_;  // by power of two
};

}  // namespace echo::congestion
