// Flow-level simulation: collectives as flows that share the links of a machine, and their end times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "machine/network_graph.hpp"
#include "network/routing.hpp"
#include "textbook/phases.hpp"

namespace echo::network {

// One collective of one group. `gpus`: GPUs of its members. Each phase waits `phase_latency` in addition to
// the latency of its links.
struct Activity {
  const textbook::Phases* phases = nullptr;
  std::span<const std::int32_t> gpus;  // [members] vertices of the graph
  SimTime start{}, phase_latency{};
};

// exact: every repeat of a phase separately. merged: all repeats as one phase with that multiple of bytes and
// latency; the same time if rates do not change meanwhile, and far fewer events if groups of different pace
// share links.
enum class Repeats : std::int8_t { exact, merged };

struct FlowTimes {
  std::vector<SimTime> end;        // [activities]
  std::vector<double> link_bytes;  // [links] total carried
  std::int64_t solutions = 0;      // number of rate computations
};

// Fluid flows at max-min fair rates, which change when a transfer starts or ends. Activities that share no
// link are simulated separately. A pair of GPUs has the same route in all phases of an activity; other
// activities may use other routes. Deterministic.
[[nodiscard]] FlowTimes simulate_flows(const machine::NetworkGraph&, Router&, std::span<const Activity>,
                                       Repeats = Repeats::exact);

}  // namespace echo::network
