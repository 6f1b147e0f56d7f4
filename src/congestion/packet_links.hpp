// The links that a group gets among all groups of its kind, from a packet-level simulation of the machine.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "congestion/packet_answers.hpp"
#include "congestion/part_run.hpp"
#include "machine/topology.hpp"
#include "network/side_by_side.hpp"

namespace echo::congestion {

// Where answers are shared with other runs: under the hash of all that the question depends on.
struct SharedAnswers {
  PacketAnswers* store = nullptr;  // null: nowhere
  Hash128 question{};              // without the size
};

// A question that the packet simulator answers: all groups of a kind, side by side on one machine. It keeps
// what it has simulated, so that a size is asked for once. The machine's graph is made, and flows are routed,
// where a size is simulated.
class PacketLinks {
 public:
  // Groups that are irregular or stay inside a scale-up domain have no packets: see is_plain(). Nor have
  // machines without NICs and switches: their links are those of the closed form.
  PacketLinks(const machine::GroupSpan&, network::Traffic, const machine::ClusterSpec&, std::uint64_t seed,
              std::int64_t budget = packet_budget, const SharedAnswers& shared = {});
  PacketLinks(const PacketLinks&) = delete;  // runs refer to parts
  PacketLinks& operator=(const PacketLinks&) = delete;

  [[nodiscard]] bool is_plain() const { return is_plain_; }
  // `closed`, what the closed form says, with the bandwidth with which a node sends while every pair of
  // members exchanges `bytes`, and the latency of the longest path.
  [[nodiscard]] machine::GroupLinks links(const machine::GroupLinks& closed, std::int64_t bytes);

  // Time of flows of `bytes` each, beyond the round trip of an idle network and without what headers take.
  // Linear between powers of two, which alone are simulated. 0 where no flow crosses a NIC.
  [[nodiscard]] double seconds(std::int64_t bytes);
  [[nodiscard]] const std::vector<PartRun>& runs() const { return runs_; }  // none: nothing was simulated

 private:
  [[nodiscard]] const PacketAnswer& answer(std::int32_t power);
  [[nodiscard]] PacketAnswer simulate(std::int32_t power);
  void set_up();

  machine::GroupSpan span_;
  network::Traffic traffic_;
  machine::ClusterSpec cluster_;
  std::uint64_t seed_;
  std::int64_t budget_;
  SharedAnswers shared_;
  bool is_plain_, is_set_up_ = false;
  PacketSettings settings_;
  std::vector<FabricPart> parts_;
  std::vector<PartRun> runs_;  // [part]
  SimTime latency_{};
  std::map<std::int32_t, PacketAnswer> known_;  // by power of two
};

}  // namespace echo::congestion
