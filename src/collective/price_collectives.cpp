// First NCCL's choice, then its price. The choice is the least of NCCL's own estimates over the methods and
// protocols that apply, ties to the first in its order (tree, ring, NVLS, NVLSTree; LL, LL128, Simple). The
// price is what that choice takes on this network. The two differ on purpose: NCCL can be wrong, and a
// simulator must be wrong with it. A forced algorithm or protocol that serves no such call is set aside:
// first the protocol, then the algorithm, then both. NCCL up to 2.23 does the like (it keeps estimates of
// what is switched off as a reserve); later ones refuse the call unless the setting names the functions it is
// for (NCCL_ALGO="allreduce:nvls"), so that there a forced choice stands for that spelling.
#include "collective/price_collectives.hpp"

#include "base/contract.hpp"
#include "collective/algorithm.hpp"

namespace echo::collective {
namespace {

constexpr auto any_algorithm = ops::NcclAlgorithm::automatic;
constexpr auto any_protocol = ops::NcclProtocol::automatic;

struct Choice {
  const Algorithm* algorithm = nullptr;
  std::int32_t index = -1;
  ops::Protocol protocol = ops::Protocol::simple;
  double nccl_time = 0.0;
};

bool better(const Choice& candidate, const Choice& best) {
  if (best.algorithm == nullptr) return true;
  if (candidate.nccl_time != best.nccl_time) return candidate.nccl_time < best.nccl_time;
  return candidate.algorithm->order < best.algorithm->order;  // protocols are tried in order already
}

Choice choose(const Call& call, const Communicator& c, ops::NcclAlgorithm algorithm,
              ops::NcclProtocol protocol) {
  Choice best;
  const auto table = algorithm_table();
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    if (algorithm != any_algorithm && table[i]->order + 1 != static_cast<std::int32_t>(algorithm)) continue;
    for (std::int32_t p = 0; p < 3; ++p) {
      if (protocol != any_protocol && p + 1 != static_cast<std::int32_t>(protocol)) continue;
      const auto proto = static_cast<ops::Protocol>(p);
      if (!table[i]->applies(call, c, proto)) continue;
      const Choice candidate{table[i], index, proto, table[i]->nccl_time(call, c, proto)};
      if (better(candidate, best)) best = candidate;
    }
  }
  return best;
}

}  // namespace

ops::CollectiveEstimate price(const ops::CollectiveQuery& query, const machine::GroupLinks& links,
                              const ops::CommSettings& settings, std::int32_t nccl_version,
                              const NetworkConstants& constants) {
  ECHO_EXPECT(query.payload.value >= 0);
  if (query.group.ranks <= 1 || query.payload.value == 0) return {};
  const Call call{query.kind, query.payload.value};
  const Communicator communicator = set_up(query.group, links, settings, nccl_version);
  Choice choice = choose(call, communicator, settings.algorithm, settings.protocol);
  if (choice.algorithm == nullptr) choice = choose(call, communicator, settings.algorithm, any_protocol);
  if (choice.algorithm == nullptr) choice = choose(call, communicator, any_algorithm, settings.protocol);
  if (choice.algorithm == nullptr) choice = choose(call, communicator, any_algorithm, any_protocol);
  ECHO_ENSURE(choice.algorithm != nullptr);
  const Cost cost = choice.algorithm->time(call, communicator, choice.protocol, constants);
  const PartedTime& time = cost.time;
  ECHO_ENSURE(time.us > 0.0);
  return {.time = from_microseconds(time.us),
          .algorithm = ops::AlgorithmId(choice.index),
          .protocol = choice.protocol,
          .channels = choice.algorithm->channels(call, communicator, choice.protocol),
          .memory_rate = cost.memory_bytes / (time.us * 1e-6),
          .by_scale_up = time.scale_up / time.us,
          .by_scale_out = time.scale_out / time.us,
          .by_latency = time.latency / time.us};
}

}  // namespace echo::collective
