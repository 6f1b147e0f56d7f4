// Cache of kernel and collective prices and slowdown factors for one catalog and one calibration. Look-up
// only; order never matters.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "congestion/packet_links.hpp"
#include "machine/cluster.hpp"
#include "machine/topology.hpp"
#include "network/nccl_phases.hpp"
#include "network/shared_links.hpp"
#include "ops/collective.hpp"
#include "ops/kernel.hpp"
#include "simulate/prices/fabric.hpp"
#include "simulate/prices/factor_memo.hpp"
#include "simulate/prices/packet_memory.hpp"

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

// CollectiveKey::where is the cluster's number times this, and the GPU's.
inline constexpr std::int32_t clusters_apart = 1024;

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

// Where the workloads before had a kernel or collective, the next one often has the same: what its place was
// last asked for, and before that another. Refers to entries of a map.
template <class Map>
class PlaceHints {
 public:
  using Entry = typename Map::value_type;

  // The entry of `key` if the place had it, else null.
  [[nodiscard]] const Entry* find(std::size_t place, const typename Map::key_type& key) {
    if (place >= places_.size()) return nullptr;
    auto& [last, other] = places_[place];
    if (last != nullptr && last->first == key) return last;
    if (other == nullptr || !(other->first == key)) return nullptr;
    std::swap(last, other);
    return last;
  }
  void note(std::size_t place, const Entry& entry) {
    if (place >= places_.size()) places_.resize(place + 1);
    places_[place] = {&entry, places_[place].first};
  }
  void clear() { places_.clear(); }

 private:
  std::vector<std::pair<const Entry*, const Entry*>> places_;
};

struct PriceMemo {
  // Forgets the prices where there are many; between steps, for those in hand are referred to. Numbers are
  // given once, so that what others know by them stays true.
  void keep_bounded() {
    if (kernels.size() > most_kernels) kernels.clear(), kernel_places.clear();
    if (collectives.size() > most_collectives) collectives.clear(), collective_places.clear();
    if (flow_links.size() > most_collectives) flow_links.clear();
    if (packet_links.size() > most_collectives / 16) packet_links.clear();
  }
  std::size_t most_kernels = std::size_t{1} << 13, most_collectives = std::size_t{1} << 12;  // 2.5, 2 MiB
  std::int32_t kernels_numbered = 0, collectives_numbered = 0;

  using Kernels = std::unordered_map<std::pair<std::int32_t, ops::KernelKey>, PricedKernel, PriceKeyHash>;
  using Collectives = std::unordered_map<CollectiveKey, PricedCollective, PriceKeyHash>;
  Kernels kernels;  // (gpu, key)
  Collectives collectives;
  PlaceHints<Kernels> kernel_places;
  PlaceHints<Collectives> collective_places;
  std::unordered_map<FlowLinksKey, machine::GroupLinks, PriceKeyHash> flow_links;
  std::unordered_map<FlowLinksKey, congestion::PacketLinks, PriceKeyHash> packet_links;
  PacketMemory packet_memory;  // where the packet links ask first
  FactorMemo factors;          // by the numbers of `kernels` and `collectives`
};

}  // namespace echo::simulate
