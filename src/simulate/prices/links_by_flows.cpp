// Problem. The closed forms give a group that leaves its leaf switch the worst share of it, whatever its
// collective sends. Idea: what it sends (a ring, trees, all pairs) laid over the links of the machine with
// all groups like it (network/flow_links.cpp); the method's own formula then prices on the bandwidth that is
// left. Price = formula(method chosen on the closed form, links by flows). Neglected: reductions inside
// switches (taken as rings), groups of other kinds (their losses: network/shared_links.cpp), another choice
// by NCCL on other links.
#include "simulate/prices/links_by_flows.hpp"

#include <string_view>

#include "base/contract.hpp"
#include "collective/algorithm.hpp"
#include "network/flow_links.hpp"

namespace echo::simulate {
namespace {

// Where hashing puts flows is fixed by it, so that a row is the same in every run.
constexpr std::uint64_t hash_seed = 1;

network::Traffic traffic_of(ops::CollectiveKind kind, std::string_view algorithm) {
  using network::Method;
  if (kind == ops::CollectiveKind::all_to_all) return {.method = Method::pairwise};
  if (kind == ops::CollectiveKind::send_recv) return {.method = Method::pairwise, .all_pairs = false};
  if (algorithm == "tree") return {.method = Method::tree};
  if (algorithm == "nvls_tree") return {.method = Method::nvls_tree};
  return {.method = Method::ring};
}

}  // namespace

const machine::GroupLinks& links_by_flows(const FlowQuestion& ask, std::int32_t where, PriceMemo& memo) {
  network::Traffic traffic = traffic_of(ask.query.kind, collective::name_of_algorithm(ask.priced));
  traffic.scattered = ask.fabric.scattered;
  const auto [entry, is_new] =
      memo.flow_links.try_emplace({where, traffic.method, traffic.all_pairs, ask.fabric, ask.query.group});
  if (is_new)
    entry->second = network::flow_links(ask.query.group, traffic, ask.closed, ask.cluster, hash_seed);
  return entry->second;
}

ops::CommSettings as_chosen(ops::CommSettings settings, const ops::CollectiveEstimate& priced) {
  const auto& names = ops::nccl_algorithm_names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == collective::name_of_algorithm(priced))
      settings.algorithm = static_cast<ops::NcclAlgorithm>(i);
  settings.protocol = static_cast<ops::NcclProtocol>(static_cast<std::int32_t>(priced.protocol) + 1);
  return settings;
}

}  // namespace echo::simulate
