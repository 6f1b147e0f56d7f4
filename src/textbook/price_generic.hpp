// Prices generic collectives: times of textbook algorithms on bare links, for exploring designs. NCCL's times
// on real machines are in collective/price_collectives.hpp.
#pragma once

#include <vector>

#include "ops/collective.hpp"
#include "ops/generic_settings.hpp"
#include "textbook/hierarchy.hpp"

namespace echo::textbook {

struct GenericPrice {
  ops::CollectiveEstimate estimate;
  std::int32_t chunks = 0;  // of a hierarchical one
};

// The estimate of `call` among `ranks` that takes that long.
[[nodiscard]] GenericPrice priced_as(ops::GenericAlgorithm, const Call&, std::int32_t ranks,
                                     const Hierarchical&);

// Pure. Dimensions of two GPUs or more, whose product is the ranks of the group. An algorithm that does not
// support the call is replaced by the fastest one that does.
[[nodiscard]] GenericPrice price_generic(const ops::CollectiveQuery&, const std::vector<Dimension>&,
                                         const ops::GenericSettings&);

}  // namespace echo::textbook
