// All GPUs of a node make the same demands on their host at the same time, so each has its share of the
// host's memory bandwidth, and of a tier behind it (machine/tier_share.cpp). A copy is limited by its
// link or by that share: time = start + latency + bytes / min(link * payload share, memory share). The update
// of optimizer states is limited by the host's memory alone: time = bytes / (memory share * reached). States
// that live in a tier behind it are read, updated and written back piece by piece, so that the update takes
// as long as the longer of the two: max(the host's time, latency + read / read share + written / write
// share); a drive that reads and writes at once does each more slowly (ZeRO-Infinity, arXiv:2104.07857,
// section 5.2: reads, updates and writes overlap). Neglected: GPUs that share one switch's link to the
// processors, memory of the other socket, the arithmetic of the update (a few operations per number), the
// host's memory through which a drive's bytes pass (twice; it is several times as fast), and what exceeds
// one transfer's latency where a tier is asked in many requests.
#include "simulate/prices/price_host.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "machine/tier_share.hpp"

namespace echo::simulate {

namespace {

using machine::MemoryTier;
using machine::TierShare;

// Share of a PCIe link's raw rate: packets carry 256 bytes of payload behind some 24 of headers and framing,
// and flow control takes some more. Assumed: CUDA's bandwidth test is quoted at 25 to 27 of 32 GB/s (Gen4).
constexpr double link_payload = 0.82;
// Share of the memory's peak: ZeRO-Offload (Ren et al. 2021, arXiv:2101.06840, table 4) updates 1 G
// parameters, 30 bytes each, in 0.22 s on two sockets of six channels DDR4-2666 (256 GB/s).
constexpr double update_reach = 0.53;
// Time from the call to the first byte. Assumed: the order of magnitude of an asynchronous copy's launch.
constexpr SimTime copy_start{10'000'000};

SimTime host_update_time(const ops::CollectiveQuery& query, const machine::ClusterSpec& cluster) {
  const ops::TierTraffic& beyond = query.tier;
  const TierShare memory = machine::share_of(cluster, MemoryTier::host, beyond.gpus);
  const SimTime on_host =
      from_seconds(static_cast<double>(query.payload.value) / (memory.read * update_reach));
  if (beyond.tier == MemoryTier::host) return on_host;
  const TierShare tier = machine::share_of(cluster, beyond.tier, beyond.gpus);
  const double moving = static_cast<double>(beyond.read.value) / tier.read +
                        static_cast<double>(beyond.written.value) / tier.write;
  return std::max(on_host, tier.latency + from_seconds(moving));
}

}  // namespace

bool is_of_host(ops::CollectiveKind kind) {
  return kind == ops::CollectiveKind::host_copy || kind == ops::CollectiveKind::host_update;
}

ops::CollectiveEstimate price_host(const ops::CollectiveQuery& query, const machine::GpuSpec& gpu,
                                   const machine::ClusterSpec& cluster) {
  ECHO_EXPECT(is_of_host(query.kind) && gpu.host_link.value > 0.0);
  if (query.kind == ops::CollectiveKind::host_update) return {.time = host_update_time(query, cluster)};
  const TierShare tier = machine::share_of(cluster, query.tier.tier, query.tier.gpus);
  const double memory = query.tier.written.value > 0 ? tier.write : tier.read;
  const double rate = std::min(gpu.host_link.value * link_payload, memory);
  const double bytes = static_cast<double>(query.payload.value);
  return {.time = copy_start + tier.latency + from_seconds(bytes / rate), .memory_rate = rate};
}

}  // namespace echo::simulate
