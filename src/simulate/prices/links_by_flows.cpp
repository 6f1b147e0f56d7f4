// Problem. The closed forms give a group that leaves its leaf switch the worst share of the uplinks,
// whatever its collective sends. Idea: the traffic of the collective (a ring, trees, all pairs) is routed
// over the links of the machine together with that of all corresponding groups (network/flow_links.cpp); the
// formula of the method then uses the bandwidth that is left. Price = formula(method chosen on the closed
// form, links by flows). Neglected: reductions inside switches (priced as rings), groups of other kinds
// (their losses: network/shared_links.cpp), a different choice of method by NCCL on other links.
#include "simulate/prices/links_by_flows.hpp"

#include "base/contract.hpp"
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
  const auto entry =
      memo.packet_links.try_emplace(key, ask.query.group, traffic, ask.cluster, hash_seed).first;
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
