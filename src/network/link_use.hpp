// Use of a link by a flow.
#pragma once

#include <cstdint>

namespace echo::network {

struct LinkUse {
  std::int32_t link = 0;  // of NetworkGraph::links
  double share = 1.0;     // of the flow's bytes
  friend bool operator==(const LinkUse&, const LinkUse&) = default;
};

}  // namespace echo::network
