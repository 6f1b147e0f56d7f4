#include "collective/price_collectives.hpp"

#include "base/contract.hpp"
#include "collective/choose.hpp"

namespace echo::collective {

ops::CollectiveEstimate price(const ops::CollectiveQuery& query, const machine::GroupLinks& links,
                              const ops::CommSettings& settings, std::int32_t nccl_version,
                              const NetworkConstants& constants) {
  ECHO_EXPECT(query.payload.value >= 0);
  if (query.group.ranks <= 1 || query.payload.value == 0) return {};
  const Call call{query.kind, query.payload.value};
  const Communicator communicator = set_up(query.group, links, settings, nccl_version);
  return estimate_of(call, communicator, choose(call, communicator, settings), constants);
}

}  // namespace echo::collective
