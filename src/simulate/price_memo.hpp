// Kernel and collective prices already worked out for one (GPU, cluster). Look-up only; order never matters.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "machine/cluster.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::simulate {

struct PriceKeyHash {
  std::size_t operator()(const std::pair<std::int32_t, ops::KernelKey>& key) const;
  std::size_t operator()(const std::pair<std::int32_t, ops::CollectiveQuery>& key) const;
};

struct PriceMemo {
  std::unordered_map<std::pair<std::int32_t, ops::KernelKey>, ops::KernelPrice, PriceKeyHash>
      kernels;  // (gpu, key)
  std::unordered_map<std::pair<std::int32_t, ops::CollectiveQuery>, ops::CollectiveEstimate, PriceKeyHash>
      collectives;  // (gpu and cluster, query)
};

}  // namespace echo::simulate
