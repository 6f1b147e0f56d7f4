// The fabric a run asks for in place of its cluster's own, and where on it the ranks go.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "machine/cluster.hpp"
#include "machine/fabric.hpp"
#include "machine/placement.hpp"

namespace echo::machine {

struct FabricChoice {
  TopologyId topology;                         // none: the cluster's own
  std::int32_t oversubscription_permille = 0;  // of leaf uplinks, in thousandths; 0 = the cluster's own
  std::optional<Routing> routing;              // nothing: the cluster's own
  std::optional<CongestionControl> congestion_control;  // nothing: the cluster's own
  NicId nic;                                            // none: the cluster's own
  SwitchId network_switch;                              // same
  Placement placement = Placement::packed;
  std::int32_t placement_seed = 0;  // of scattered
  friend constexpr auto operator<=>(const FabricChoice&, const FabricChoice&) = default;
};

}  // namespace echo::machine
