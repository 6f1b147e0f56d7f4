// The part of a machine given by its dimensions that a group of ranks spans, and collectives on it.
#pragma once

#include <array>
#include <vector>

#include "machine/cluster.hpp"
#include "textbook/price_generic.hpp"

namespace echo::textbook {

// Members of a group that differ along one dimension of the machine.
struct GroupDimension {
  Dimension shape;                                    // latency: of a way between neighbours in the group
  std::array<machine::AlgorithmChoice, 4> algorithm;  // [ChosenCollective]
};

// From the GPU outwards, without dimensions of one GPU. Part of a ring is a line, unless it is every k-th GPU
// all around. A group that does not fill its dimensions evenly, or is larger than the machine, is one switch
// at the rate of the slowest link and the latency of the longest way through one.
[[nodiscard]] std::vector<GroupDimension> given_dimensions_of(const machine::GroupSpan&,
                                                              const machine::ClusterSpec&);

// Pure. The cluster is given by its dimensions. Settings take the place of the machine's own where they are
// not their default (algorithm: of every dimension that it serves).
[[nodiscard]] GenericPrice price_given(const ops::CollectiveQuery&, const machine::ClusterSpec&,
                                       const ops::GenericSettings&);

}  // namespace echo::textbook
