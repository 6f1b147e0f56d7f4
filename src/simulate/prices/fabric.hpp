// The fabric of a config's cluster with the config's overrides.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "machine/topology.hpp"
#include "ops/collective.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// All that the links of a group depend on beside its cluster, so it serves as a part of look-up keys. Zeros:
// the cluster's own.
struct FabricChoice {
  std::int32_t topology = 0, routing = 0;      // words of the recipe's choices
  std::int32_t oversubscription_permille = 0;  // leaf uplinks
  std::int32_t nodes = 0;  // of the machine, where a topology asks and the cluster does not say
  bool scattered = false;
  friend bool operator==(const FabricChoice&, const FabricChoice&) = default;
};
[[nodiscard]] FabricChoice fabric_of(const training::TrainingConfig&, const machine::ClusterSpec&);

[[nodiscard]] machine::ClusterSpec with_fabric(machine::ClusterSpec, const FabricChoice&);

[[nodiscard]] machine::Traffic traffic_of(ops::CollectiveKind, const FabricChoice&);

}  // namespace echo::simulate
