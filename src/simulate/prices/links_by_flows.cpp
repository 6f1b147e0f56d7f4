// Problem. The closed forms give a group that leaves its leaf switch the worst share of the uplinks,
// whatever its collective sends. Idea: the traffic of the collective (a ring, trees, all pairs) is routed
// over the links of the machine together with that of all corresponding groups (network/flow_links.cpp); the
// formula of the method then uses the bandwidth that is left. Price = formula(method chosen on the closed
// form, links by flows). Neglected: reductions inside switches (priced as rings), groups of other kinds
// (their losses: network/shared_links.cpp), a different choice of method by NCCL on other links.
#include "simulate/prices/links_by_flows.hpp"

#include <initializer_list>
#include <span>
#include <string>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/record.hpp"
#include "network/flow_links.hpp"

namespace echo::simulate {
namespace {

// Seed of the hashing that places flows on links; it is fixed, so that a row is the same in every run.
constexpr std::uint64_t hash_seed = 1;

network::Traffic traffic_of(ops::CollectiveKind kind, ops::NcclAlgorithm algorithm) {
  if (kind == ops::CollectiveKind::all_to_all || kind == ops::CollectiveKind::send_recv)
    return {.kind = kind};
  return {.algorithm = network::as_sent(algorithm)};
}

// All that an answer depends on: the program and the cluster, by their hash; what a config changes of it; the
// groups; the traffic; the budget.
congestion::SharedAnswers shared_answers(const FlowQuestion& ask, const FlowLinksKey& key,
                                         const PacketMemory& memory) {
  if (memory.answers == nullptr) return {};
  const FabricKey& f = key.fabric;
  const machine::GroupSpan& g = key.group;
  const Hash128& cluster = memory.clusters.at(at(key.where / clusters_apart));
  std::string text(reinterpret_cast<const char*>(cluster.data()), cluster.size());
  for (const std::int64_t value : std::initializer_list<std::int64_t>{
           f.topology.index(), f.routing ? static_cast<std::int64_t>(*f.routing) : -1,
           f.congestion_control ? static_cast<std::int64_t>(*f.congestion_control) : -1,
           f.oversubscription_permille, f.nodes, f.scattered ? 1 : 0, g.ranks, g.nodes, g.ranks_per_node,
           g.stride, g.sharing, g.extent, static_cast<std::int64_t>(key.algorithm),
           static_cast<std::int64_t>(key.kind), static_cast<std::int64_t>(hash_seed), ask.packet_budget})
    put_value(value, text);
  return {memory.answers, hash128(std::as_bytes(std::span(text)))};
}

}  // namespace

const machine::GroupLinks& links_by_flows(const FlowQuestion& ask, std::int32_t where, PriceMemo& memo) {
  network::Traffic traffic = traffic_of(ask.query.kind, ask.priced.algorithm);
  traffic.scattered = ask.fabric.scattered;
  const auto [entry, is_new] =
      memo.flow_links.try_emplace({where, traffic.algorithm, traffic.kind, ask.fabric, ask.query.group});
  if (is_new)
    entry->second = network::flow_links(ask.query.group, traffic, ask.closed, ask.cluster, hash_seed);
  return entry->second;
}

machine::GroupLinks links_by_packets(const FlowQuestion& ask, std::int32_t where, PriceMemo& memo) {
  network::Traffic traffic = traffic_of(ask.query.kind, ask.priced.algorithm);
  traffic.scattered = ask.fabric.scattered;
  const FlowLinksKey key{where, traffic.algorithm, traffic.kind, ask.fabric, ask.query.group};
  const auto entry = memo.packet_links
                         .try_emplace(key, ask.query.group, traffic, ask.cluster, hash_seed,
                                      ask.packet_budget, shared_answers(ask, key, memo.packet_memory))
                         .first;
  const std::int64_t bytes =
      network::bytes_between_pair(ask.query.group, traffic, ask.query.kind, ask.query.payload.value);
  return entry->second.links(ask.closed, bytes);
}

ops::CommSettings as_chosen(ops::CommSettings settings, const ops::CollectiveEstimate& priced) {
  const ops::NcclAlgorithm chosen = priced.algorithm;
  if (chosen > ops::NcclAlgorithm::automatic && chosen <= ops::last_nccl_algorithm)
    settings.algorithm = chosen;
  settings.protocol = static_cast<ops::NcclProtocol>(static_cast<std::int32_t>(priced.protocol) + 1);
  return settings;
}

}  // namespace echo::simulate
