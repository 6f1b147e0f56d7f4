// Price of a collective on the links that its group gets in a simulation of the machine by flows or packets.
#pragma once

#include "collective/constants.hpp"
#include "machine/cluster.hpp"
#include "network/nccl_phases.hpp"
#include "ops/collective.hpp"
#include "simulate/prices/price_memo.hpp"

namespace echo::simulate {

// A priced collective whose links flows are to give. NCCL's choice stays: it depends on the machine, not on
// other traffic.
struct FlowQuestion {
  const ops::CollectiveQuery& query;
  const ops::CollectiveEstimate& priced;  // on the links of the closed form
  const machine::GroupLinks& closed;      // those
  const machine::ClusterSpec& cluster;    // with the fabric chosen
  const FabricKey& fabric;
  std::int64_t packet_budget;  // of a run of packets
};

// The links; worked out once for each kind of traffic in groups of one shape. `where`: GPU and cluster.
[[nodiscard]] const machine::GroupLinks& links_by_flows(const FlowQuestion&, std::int32_t where,
                                                        PriceMemo& memo);

// The same by packets, for what the query sends: worked out once for each kind of traffic in groups of one
// shape, and once for each power of two of bytes.
[[nodiscard]] machine::GroupLinks links_by_packets(const FlowQuestion&, std::int32_t where, PriceMemo& memo);

// Settings that keep NCCL to what it chose.
[[nodiscard]] ops::CommSettings as_chosen(ops::CommSettings, const ops::CollectiveEstimate&);

}  // namespace echo::simulate
