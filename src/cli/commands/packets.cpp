// echo-sweep packets: flows through a fabric packet by packet.

#include <memory>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/packets/flow_run.hpp"

namespace echo::cli::commands {

namespace {

struct PacketOptions {
  FlowRun flows;
  bool parameters = false;
};

int run_packets(const PacketOptions& options) {
  const FlowRun& flows = options.flows;
  if (options.parameters) return list_parameters(flows.control), 0;
  if (flows.topology.empty() || flows.flows.empty())
    throw UserError("--topology and --flows are needed",
                    "name a topology and a flow file: echo-sweep packets --topology t.txt --flows f.txt");
  return run_flows(flows);
}

std::function<int(Invocation&)> declare(Options& options) {
  auto chosen = std::make_shared<PacketOptions>();
  FlowRun& flows = chosen->flows;
  flows.control = "dcqcn";
  options.value(flows.topology, "--topology", "topology file in HPCC's format");
  options.value(flows.flows, "--flows", "flow file: id src dst pg dport size_B start_ns dep");
  options.value(flows.control, "--cc", "congestion control: dcqcn, dctcp, hpcc, none, swift or timely");
  options.value(flows.paths, "--paths", "table of the paths of flows: case,flow,node_path");
  options.value(flows.case_name, "--case", "case of that table (default: the name of the flow file)");
  options.values(flows.settings, "--set", "a parameter by its name, as in \"KMAX 100G=1600\"; repeatable");
  options.flag(chosen->parameters, "--parameters", "list the parameters of --set and their values, and stop");
  options.value(flows.csv, "--csv", "table to write: flow,src,dst,size_B,start_ns,fct_ns");
  return [chosen](Invocation&) { return run_packets(*chosen); };
}

}  // namespace

extern const Command packets{.name = "packets",
                             .summary = "simulate flows through a network of switches packet by packet",
                             .declare = declare};

}  // namespace echo::cli::commands
