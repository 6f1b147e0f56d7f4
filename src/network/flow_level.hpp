// Collectives as flows over the links of a machine: who shares what with whom, and when each is done.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "machine/network_graph.hpp"
#include "network/routing.hpp"
#include "textbook/phases.hpp"

namespace echo::network {

// One collective of one group. `gpus`: where its members are. Each phase waits `phase_latency` beside the
// latency of its links.
struct Activity {
  const textbook::Phases* phases = nullptr;
  std::span<const std::int32_t> gpus;  // [members] vertices of the graph
  SimTime start{}, phase_latency{};
};

// exact: every repeat of a phase by itself. merged: repeats as one phase of as many times the bytes and the
// latency; the same time where rates do not change on the way, and far fewer events where groups of unlike
// pace share links.
enum class Repeats : std::int8_t { exact, merged };

struct FlowTimes {
  std::vector<SimTime> end;        // [activities]
  std::vector<double> link_bytes;  // [links] carried in all
  std::int64_t solutions = 0;      // how often rates were worked out
};

// Fluid flows at max-min fair rates, which change when a transfer starts or ends. Activities that share no
// link are simulated apart. Same routes for a pair of GPUs in all phases of an activity; others may take
// others. Deterministic.
[[nodiscard]] FlowTimes simulate_flows(const machine::NetworkGraph&, Router&, std::span<const Activity>,
                                       Repeats = Repeats::exact);

}  // namespace echo::network
