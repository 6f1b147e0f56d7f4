// The fabric of a config's cluster with the config's overrides.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/cluster.hpp"
#include "machine/topology.hpp"
#include "ops/collective.hpp"
#include "simulate/catalog.hpp"
#include "training/config.hpp"

namespace echo::simulate {

// All that the links of a group depend on beside its cluster, so it serves as a part of look-up keys: a
// machine::FabricChoice without what only moves ranks about.
struct FabricKey {
  machine::TopologyId topology;
  std::optional<machine::Routing> routing;
  std::optional<machine::CongestionControl> congestion_control;  // where packets are simulated
  machine::NicId nic;                                            // same
  machine::SwitchId network_switch;                              // same
  std::int32_t oversubscription_permille = 0;
  std::int32_t nodes = 0;  // of the machine, where a topology asks and the cluster does not say
  bool scattered = false;
  friend bool operator==(const FabricKey&, const FabricKey&) = default;
};
[[nodiscard]] FabricKey fabric_of(const training::TrainingConfig&, const machine::ClusterSpec&);
// The same, with what packets alone depend on: the cluster's own where the config leaves it open.
[[nodiscard]] FabricKey packet_fabric_of(const training::TrainingConfig&, const machine::ClusterSpec&);

// The cluster with what the key has in place of its own; its packets are set as its NIC, then its switch,
// then it itself say.
[[nodiscard]] machine::ClusterSpec with_fabric(machine::ClusterSpec, const FabricKey&, const Catalog&);

[[nodiscard]] machine::Traffic traffic_of(ops::CollectiveKind, const FabricKey&);

}  // namespace echo::simulate
