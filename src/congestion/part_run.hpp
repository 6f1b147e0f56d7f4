// How long the flows of a part take, packet by packet as far as that is worth its time, then as fluids.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "congestion/fabric_parts.hpp"
#include "congestion/packet_budget.hpp"

namespace echo::congestion {

// Where the packets of a run end and fluids go on.
struct Handover {
  SimTime time{};
  std::vector<double> sent;  // [flow] bytes acknowledged by then, fractions by pace
  std::vector<double> rate;  // [flow] bytes per second
  double use = 0.0;          // of the most used link: share of its time in which a switch sent on it
  bool is_steady = false;    // false: the budget was spent, or packets wait for each other in a circle
};

class PartRun {
 public:
  // Both outlive it. `budget`: packets on links; 0 lets packets go on to the end of every flow.
  PartRun(const FabricPart& part, const PacketSettings& settings, std::int64_t budget = packet_budget)
      : part_(&part), settings_(&settings), budget_(budget) {}

  // From the start of all flows, each of `bytes`, to the last acknowledgement.
  [[nodiscard]] SimTime time(std::int64_t bytes);
  // The handover that serves larger flows too, or that of the last call: nothing where packets went to the
  // end.
  [[nodiscard]] const std::optional<Handover>& handover() const { return handover_; }
  [[nodiscard]] std::int64_t packet_hops() const { return packet_hops_; }  // of all calls

 private:
  [[nodiscard]] SimTime by_packets(std::int64_t bytes);
  [[nodiscard]] SimTime go_on(std::int64_t bytes) const;

  const FabricPart* part_;
  const PacketSettings* settings_;
  std::int64_t budget_, packet_hops_ = 0;
  std::optional<Handover> handover_;
  std::int64_t reusable_from_ = 0;  // flows of so many bytes or more have that handover; 0: none known
};

}  // namespace echo::congestion
