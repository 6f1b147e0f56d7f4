// Generic collectives: what textbook algorithms take on bare links. For exploring designs; what NCCL takes on
// real machines is collective/price_collectives.hpp.
#pragma once

#include <vector>

#include "ops/collective.hpp"
#include "ops/generic_settings.hpp"
#include "textbook/dimension.hpp"

namespace echo::textbook {

struct GenericPrice {
  ops::CollectiveEstimate estimate;
  std::int32_t chunks = 0;  // of a hierarchical one
};

// Pure. Dimensions of two GPUs or more, their product the ranks of the group. An algorithm that does not
// serve the call is set aside for the fastest that does.
[[nodiscard]] GenericPrice price_generic(const ops::CollectiveQuery&, const std::vector<Dimension>&,
                                         const ops::GenericSettings&);

}  // namespace echo::textbook
