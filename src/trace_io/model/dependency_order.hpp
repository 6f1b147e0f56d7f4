// Topological order of nodes that refer to each other by id.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csr.hpp"

namespace echo::trace_io {

struct NamedDependencies {
  std::vector<std::int64_t> ids;     // [nodes], as the file has them
  Csr<std::int64_t> needs, follows;  // [nodes] ids
};

struct DependencyOrder {
  std::vector<std::int32_t>
      order;  // [place] the node that stands there; 0, 1, 2, ... where the file was in order
  Csr<std::int32_t> needs, follows;  // [place] earlier places, each row in the order of the file's
  std::vector<std::int32_t> lost;    // nodes, as the file has them, whose row of `follows` is not whole
};

struct Misplaced {
  std::int32_t node;
  std::string what;
};

// The order nearest to the file's: of the nodes that may come next always the first. Ids that stand there
// twice, needs that are nowhere, and needs in a circle (with the nodes in it) go to `problems`; what is
// returned is then not to be used. `follows` bind less: Chakra's PyTorch converter writes the nesting of
// calls there, leaves them on nodes that it takes out of the trace, and lets them contradict the needs. Those
// that are nowhere are left out, and where nothing else may come next the first node that only follows others
// does.
[[nodiscard]] DependencyOrder put_in_order(const NamedDependencies&, std::vector<Misplaced>& problems);

}  // namespace echo::trace_io
