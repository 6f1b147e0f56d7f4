// Cache of kernel and collective prices and slowdown factors for one catalog and one calibration. Look-up
// only; order never matters.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "congestion/packet_links.hpp"
#include "machine/cluster.hpp"
#include "machine/topology.hpp"
#include "network/nccl_phases.hpp"
#include "network/shared_links.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "simulate/prices/fabric.hpp"
#include "simulate/prices/factor_memo.hpp"

namespace echo::simulate {

struct CollectiveKey {
  std::int32_t where = 0;    // GPU and cluster
  std::int32_t generic = 0;  // textbook collectives and how; 0 = NCCL's
  FabricKey fabric;
  ops::CommSettings settings;
  ops::CollectiveQuery query;
  bool by_flows = false, by_packets = false;  // priced on links_by_flows, or links_by_packets
  friend bool operator==(const CollectiveKey&, const CollectiveKey&) = default;
};

struct PricedKernel {
  ops::KernelPrice alone;
  std::int32_t number = 0;  // in the order in which kernels were first asked for
};

// The time of a collective alone, and the share of the links that it uses in that time.
struct PricedCollective {
  ops::CollectiveEstimate alone;
  network::LinkDemand use;
  std::int32_t number = 0;  // the same
};

struct FlowLinksKey {
  std::int32_t where = 0;  // GPU and cluster
  ops::NcclAlgorithm algorithm{};
  ops::CollectiveKind kind{};
  FabricKey fabric;
  machine::GroupSpan group;
  friend bool operator==(const FlowLinksKey&, const FlowLinksKey&) = default;
};

struct PriceKeyHash {
  std::size_t operator()(const std::pair<std::int32_t, ops::KernelKey>& key) const;
  std::size_t operator()(const CollectiveKey& key) const;
  std::size_t operator()(const FlowLinksKey& key) const;
};

struct PriceMemo {
  // Forgets the prices where there are many; between steps, for those in hand are referred to. Numbers are
  // given once, so that what others know by them stays true.
  void keep_bounded() {
    if (kernels.size() > most_kernels) kernels.clear();
    if (collectives.size() > most_collectives) collectives.clear();
    if (flow_links.size() > most_collectives) flow_links.clear();
    if (packet_links.size() > most_collectives / 16) packet_links.clear();
  }
  std::size_t most_kernels = std::size_t{1} << 14, most_collectives = std::size_t{1} << 14;  // 5, 8 MiB
  std::int32_t kernels_numbered = 0, collectives_numbered = 0;

  std::unordered_map<std::pair<std::int32_t, ops::KernelKey>, PricedKernel, PriceKeyHash>
      kernels;  // (gpu, key)
  std::unordered_map<CollectiveKey, PricedCollective, PriceKeyHash> collectives;
  std::unordered_map<FlowLinksKey, machine::GroupLinks, PriceKeyHash> flow_links;
  std::unordered_map<FlowLinksKey, congestion::PacketLinks, PriceKeyHash> packet_links;
  FactorMemo factors;  // by the numbers of `kernels` and `collectives`
};

}  // namespace echo::simulate
