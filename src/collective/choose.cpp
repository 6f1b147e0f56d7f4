// Prices a call in two steps: NCCL's choice of a method, then the time of that choice. The choice is the
// least of NCCL's own estimates over the methods and protocols that apply; in a tie the first in its order
// is chosen (tree, ring, NVLS, NVLSTree; LL, LL128, Simple). The price is the time of that choice on this
// network. The two differ on purpose: NCCL can be wrong, and a simulator must be wrong with it. A forced
// algorithm or protocol that cannot serve a call is ignored: first the protocol, then the algorithm, then
// both. NCCL up to 2.23 does the same (it keeps estimates of what is switched off as a reserve); later
// versions refuse the call unless the setting names the functions it is for (NCCL_ALGO="allreduce:nvls"), so
// for those versions a forced choice stands for that spelling.
#include "collective/choose.hpp"

#include "base/contract.hpp"

namespace echo::collective {
namespace {

constexpr auto any_algorithm = ops::NcclAlgorithm::automatic;
constexpr auto any_protocol = ops::NcclProtocol::automatic;

bool better(const Choice& candidate, const Choice& best) {
  if (best.algorithm == nullptr) return true;
  if (candidate.nccl_time != best.nccl_time) return candidate.nccl_time < best.nccl_time;
  return candidate.algorithm->id < best.algorithm->id;  // protocols are tried in order already
}

// NCCL's estimate for this many calls in sequence. The latency of a ring is the part that does not double
// with the bytes.
double estimate(const Algorithm& algorithm, const Call& call, const Communicator& c, ops::Protocol p,
                std::int32_t in_line) {
  const double once = algorithm.nccl_time(call, c, p);
  if (in_line <= 1 || algorithm.id != ops::NcclAlgorithm::ring) return once;
  const double latency = 2.0 * once - algorithm.nccl_time({call.kind, 2 * call.bytes}, c, p);
  return once + (in_line - 1) * (latency > 0.0 ? latency : 0.0);
}

Choice least(const Call& call, const Communicator& c, ops::NcclAlgorithm algorithm,
             ops::NcclProtocol protocol, std::int32_t in_line) {
  Choice best;
  for (const Algorithm* one : algorithm_table()) {
    const bool asks_library = one->id > any_algorithm;  // and so heeds what is forced
    if (asks_library && algorithm != any_algorithm && one->id != algorithm) continue;
    for (std::int32_t p = 0; p < 3; ++p) {
      if (asks_library && protocol != any_protocol && p + 1 != static_cast<std::int32_t>(protocol)) continue;
      const auto proto = static_cast<ops::Protocol>(p);
      if (!one->applies(call, c, proto)) continue;
      const Choice candidate{one, proto, estimate(*one, call, c, proto, in_line)};
      if (better(candidate, best)) best = candidate;
    }
  }
  return best;
}

}  // namespace

Choice choose(const Call& call, const Communicator& c, const ops::CommSettings& settings,
              std::int32_t in_line) {
  Choice choice = least(call, c, settings.algorithm, settings.protocol, in_line);
  if (choice.algorithm == nullptr) choice = least(call, c, settings.algorithm, any_protocol, in_line);
  if (choice.algorithm == nullptr) choice = least(call, c, any_algorithm, settings.protocol, in_line);
  if (choice.algorithm == nullptr) choice = least(call, c, any_algorithm, any_protocol, in_line);
  ECHO_ENSURE(choice.algorithm != nullptr);
  return choice;
}

ops::CollectiveEstimate estimate_of(const Call& call, const Communicator& c, const Choice& choice,
                                    const NetworkConstants& constants) {
  const Cost cost = choice.algorithm->time(call, c, choice.protocol, constants);
  const PartedTime& time = cost.time;
  ECHO_ENSURE(time.us > 0.0);
  return {.time = from_microseconds(time.us),
          .algorithm = choice.algorithm->id,
          .protocol = choice.protocol,
          .channels = choice.algorithm->channels(call, c, choice.protocol),
          .memory_rate = cost.memory_bytes / (time.us * 1e-6),
          .by_scale_up = time.scale_up / time.us,
          .by_scale_out = time.scale_out / time.us,
          .by_latency = time.latency / time.us};
}

}  // namespace echo::collective
