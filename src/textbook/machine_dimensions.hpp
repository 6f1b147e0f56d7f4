// The dimensions that a group of ranks spans on a machine.
#pragma once

#include <vector>

#include "machine/topology.hpp"
#include "textbook/dimension.hpp"

namespace echo::textbook {

// From the GPU outwards, without dimensions of one GPU: the scale-up network, then the nodes, on one switch
// or on the rings of a whole torus. A group that does not fill its nodes evenly is one dimension at the rate
// of the slower network.
[[nodiscard]] std::vector<Dimension> dimensions_of(const machine::GroupSpan&, const machine::GroupLinks&,
                                                   const machine::ClusterSpec&);

// All dimensions as one, for algorithms without a notion of dimensions. Each GPU has the bandwidth of its
// slowest dimension; `neighbours_only`: rings enter each node once, on one cable each, with one parallel ring
// per GPU that can cross. Other algorithms need switches throughout; elsewhere their paths share cables.
[[nodiscard]] Dimension flattened(const std::vector<Dimension>&, bool neighbours_only);

}  // namespace echo::textbook
