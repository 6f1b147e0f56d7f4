// Meshes and tori of k routers in each of two dimensions, one node a router.
#pragma once

#include "packets/flits/flit_topology.hpp"

namespace echo::packets {

// Ports 2 d and 2 d + 1: to the next and the previous router of dimension d (in: from them); the last one:
// the node. Channel 2 d is written to the right, 2 d + 1 to the left.
class Cube : public FlitTopology {
 public:
  static constexpr std::int32_t dimensions = 2;
  Cube(std::int32_t radix, bool wraps);

 protected:
  [[nodiscard]] std::int32_t radix() const { return digit_base; }
  // The first dimension, from the lowest up or from the highest down, in which the two routers differ;
  // `dimensions` where they are one.
  [[nodiscard]] std::int32_t first_difference(std::int32_t router, std::int32_t other, bool descending) const;
  [[nodiscard]] std::int32_t coordinate(std::int32_t router, std::int32_t dimension) const;
};

}  // namespace echo::packets
