#include "workload/traffic/tier_copy.hpp"

namespace echo::workload {

ops::CollectiveQuery tier_copy(const BlockContext& x, machine::MemoryTier tier, Access access,
                               std::int64_t bytes) {
  ops::CollectiveQuery copy{.kind = ops::CollectiveKind::host_copy, .payload = Bytes(bytes)};
  if (tier == machine::MemoryTier::host) return copy;
  copy.tier = {.tier = tier,
               .read = Bytes(access == Access::read ? bytes : 0),
               .written = Bytes(access == Access::write ? bytes : 0),
               .gpus = training::gpus_of(x.config.degrees)};
  return copy;
}

}  // namespace echo::workload
