#include "workload/traffic/tier_copy.hpp"

namespace echo::workload {

ops::TierTraffic tier_traffic(const BlockContext& x, machine::MemoryTier tier, std::int64_t read,
                              std::int64_t written) {
  if (tier == machine::MemoryTier::host) return {};
  return {.tier = tier,
          .read = Bytes(read),
          .written = Bytes(written),
          .gpus = training::gpus_of(x.config.degrees)};
}

ops::CollectiveQuery tier_copy(const BlockContext& x, machine::MemoryTier tier, Access access,
                               std::int64_t bytes) {
  ops::CollectiveQuery copy{.kind = ops::CollectiveKind::host_copy, .payload = Bytes(bytes)};
  copy.tier = access == Access::read ? tier_traffic(x, tier, bytes, 0) : tier_traffic(x, tier, 0, bytes);
  return copy;
}

}  // namespace echo::workload
