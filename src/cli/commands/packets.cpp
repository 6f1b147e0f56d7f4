// echo-sweep packets: flows through a fabric packet by packet; with --credits, packets of flits through a
// fabric of routers cycle by cycle.

#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/packets/flit_run.hpp"
#include "cli/packets/flow_run.hpp"

namespace echo::cli::commands {

namespace {

struct PacketOptions {
  FlowRun flows;
  FlitRun flits;
  bool parameters = false;
};

// Options of one kind of run are refused with the other.
void refuse_mixture(const PacketOptions& options) {
  const bool by_flits = !options.flits.credits.empty();
  const FlowRun& flows = options.flows;
  if (by_flits && (!flows.flows.empty() || !flows.paths.empty() || !flows.case_name.empty()))
    throw UserError("--flows, --paths and --case do not go with --credits",
                    "remove them: --traffic and --injection-rate say what is sent");
  if (!by_flits && (!options.flits.rates.empty() || !options.flits.traffic.empty()))
    throw UserError("--injection-rate and --traffic need --credits",
                    "add --credits 8: the flits of a virtual channel's buffer");
}

int run_packets(PacketOptions& options) {
  const FlowRun& flows = options.flows;
  if (options.parameters) return list_parameters(flows.control), 0;
  refuse_mixture(options);
  if (!options.flits.credits.empty()) {
    FlitRun& flits = options.flits;
    flits.topology = flows.topology;
    flits.settings = flows.settings;
    flits.csv = flows.csv;
    if (flits.traffic.empty()) flits.traffic = "uniform";
    return run_flit_rates(flits);
  }
  if (flows.topology.empty() || flows.flows.empty())
    throw UserError("--topology and --flows are needed",
                    "name a topology and a flow file: echo-sweep packets --topology t.txt --flows f.txt");
  return run_flows(flows);
}

std::function<int(Invocation&)> declare_packets(Options& options) {
  auto chosen = std::make_shared<PacketOptions>();
  FlowRun& flows = chosen->flows;
  FlitRun& flits = chosen->flits;
  flows.control = "dcqcn";
  flits.sim_type = "latency";
  options.value(
      flows.topology, "--topology",
      "topology file in HPCC's format; with --credits a name such as mesh8x8, torus8x8, fattree_k4n3, "
      "flatfly_c4k4n2 or dragonfly_p2");
  options.value(flows.flows, "--flows", "flow file: id src dst pg dport size_B start_ns dep");
  options.value(flows.control, "--cc", "congestion control: dcqcn, dctcp, hpcc, none, swift or timely");
  options.value(flows.paths, "--paths", "table of the paths of flows: case,flow,node_path");
  options.value(flows.case_name, "--case", "case of that table (default: the name of the flow file)");
  options.values(
      flows.settings, "--set",
      "a parameter by its name, as in \"KMAX 100G=1600\" or, with --credits, num_vcs=4; repeatable");
  options.flag(chosen->parameters, "--parameters", "list the parameters of --set and their values, and stop");
  options.value(flows.csv, "--csv", "table to write");
  options.value(flits.credits, "--credits",
                "simulate flits with credits: the flits of a virtual channel's buffer, as in 8");
  options.values(flits.rates, "--injection-rate", "flits of a node in a cycle, with --credits; repeatable");
  options.value(flits.traffic, "--traffic",
                "with --credits: uniform, transpose, bitcomp, bitrev, shuffle, tornado or neighbor");
  options.choice(flits.sim_type, "--sim-type", {"latency", "throughput"},
                 "with --credits: stop where latencies grow without end, or measure the throughput");
  return [chosen](Invocation&) { return run_packets(*chosen); };
}

}  // namespace

extern const Command packets{
    .name = "packets",
    .summary = "simulate flows, or flits with credits, through a network of switches packet by packet",
    .declare = declare_packets};

}  // namespace echo::cli::commands
