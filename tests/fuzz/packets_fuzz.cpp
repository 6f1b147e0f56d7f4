// Any bytes are a topology, flows and paths, or problems; small runs of what is read end, with every flow
// finished or named as one that cannot. The three files are divided by lines "---".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "packets/engine/simulation.hpp"
#include "packets/files/flow_file.hpp"
#include "packets/files/topology_file.hpp"

namespace {

using namespace echo::packets;

std::string_view take_file(std::string_view& rest) {
  constexpr std::string_view divider = "---\n";
  const std::size_t end = rest.find(divider);
  const std::string_view file = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + divider.size());
  return file;
}

// Few bytes over few links that are neither slow nor so fast that a packet takes no nanosecond.
bool is_small(const Fabric& fabric, const FlowFile& file) {
  std::int64_t bytes = 0;
  for (const Flow& flow : file.flows) {
    if (flow.bytes > 100'000) return false;
    bytes += flow.bytes;
  }
  for (const Link& link : fabric.links)
    if (link.bits_per_second < 1'000'000'000 || link.bits_per_second > 400'000'000'000 ||
        link.delay > echo::SimTime(1'000'000'000))
      return false;
  return bytes <= 300'000;
}

void run(const Fabric& fabric, const Routes& routes, const FlowFile& file) {
  if (!is_small(fabric, file)) return;
  for (const CongestionControl* control : congestion_control_table()) {
    const Outcome outcome =
        simulate_packets(fabric, routes, file.flows, *control, default_parameters(control->name));
    for (std::size_t i = 0; i < file.flows.size(); ++i) {
      const bool is_open = std::find(outcome.unfinished.begin(), outcome.unfinished.end(),
                                     static_cast<std::int32_t>(i)) != outcome.unfinished.end();
      if (!is_open && outcome.flows[i].duration <= echo::SimTime(0)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view topology = take_file(rest), flows = take_file(rest), paths = take_file(rest);
  try {
    echo::Problems problems;
    const Fabric fabric = read_topology(topology, "topology", problems);
    if (problems.errors() > 0 || fabric.nodes() > 500) return 0;
    const Routes routes(fabric);
    FlowFile file = read_flows(flows, "flows", fabric, routes, problems);
    if (problems.errors() > 0) return 0;
    if (!paths.empty()) read_paths(paths, "paths", "case", fabric, file, problems);
    if (problems.errors() == 0) run(fabric, routes, file);
  } catch (const echo::UserError&) {
  }
  return 0;
}
