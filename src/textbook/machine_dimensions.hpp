// The dimensions that a group of ranks spans on a machine.
#pragma once

#include <vector>

#include "machine/topology.hpp"
#include "textbook/dimension.hpp"

namespace echo::textbook {

// From the GPU outwards, dimensions of one GPU left out: what shares the scale-up network, then the nodes, on
// one switch or on the rings of a whole torus. A group that does not fill its nodes evenly is one dimension
// at the pace of the slower network.
[[nodiscard]] std::vector<Dimension> dimensions_of(const machine::GroupSpan&, const machine::GroupLinks&,
                                                   const machine::ClusterSpec&);

// All of them as one, for algorithms that know only ranks. Each GPU has the bandwidth of its slowest
// dimension; `neighbours_only`: rings enter each node once, one cable each, with as many rings side by side
// as there are GPUs to cross at. Others need switches throughout: elsewhere their ways share cables.
[[nodiscard]] Dimension flattened(const std::vector<Dimension>&, bool neighbours_only);

}  // namespace echo::textbook
