// Flow files: the number of flows, then for each `id src dst pg dport size_B start_ns dep`; pg is its
// priority, dep the id of the flow whose completion starts it, or -1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/problems.hpp"
#include "packets/fabric/fabric.hpp"
#include "packets/fabric/routing.hpp"

namespace echo::packets {

struct FlowFile {
  std::vector<Flow> flows;        // in the order of the file
  std::vector<std::int64_t> ids;  // [flow]
};

// Reports every problem, among them flows between nodes that are no hosts or do not reach each other, and
// flows that wait for themselves.
[[nodiscard]] FlowFile read_flows(std::string_view text, const std::string& name, const Fabric&,
                                  const Routes&, Problems&);

// Paths in a table with the columns `flow` and `node_path` ("0-32-38-33-8") and, where it holds several
// cases, `case`: those of `case_name` are taken. Flows without a path keep none.
void read_paths(std::string_view text, const std::string& name, const std::string& case_name, const Fabric&,
                FlowFile&, Problems&);

}  // namespace echo::packets
