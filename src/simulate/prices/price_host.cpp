// All GPUs of a node make the same demands on their host at the same time, so each has its share of the
// host's memory bandwidth. A copy is limited by its link or by that share: time = start + bytes / min(link *
// payload share, memory share). The update of optimizer states is limited by the host's memory alone: time =
// bytes / (memory share * reached). Neglected: GPUs that share one switch's link to the processors, memory
// of the other socket, the arithmetic of the update (a few operations per number).
#include "simulate/prices/price_host.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::simulate {

namespace {

// Share of a PCIe link's raw rate: packets carry 256 bytes of payload behind some 24 of headers and framing,
// and flow control takes some more. Assumed: CUDA's bandwidth test is quoted at 25 to 27 of 32 GB/s (Gen4).
constexpr double link_payload = 0.82;
// Share of the memory's peak: ZeRO-Offload (Ren et al. 2021, arXiv:2101.06840, table 4) updates 1 G
// parameters, 30 bytes each, in 0.22 s on two sockets of six channels DDR4-2666 (256 GB/s).
constexpr double update_reach = 0.53;
// Time from the call to the first byte. Assumed: the order of magnitude of an asynchronous copy's launch.
constexpr SimTime copy_start{10'000'000};

}  // namespace

bool is_of_host(ops::CollectiveKind kind) {
  return kind == ops::CollectiveKind::host_copy || kind == ops::CollectiveKind::host_update;
}

ops::CollectiveEstimate price_host(const ops::CollectiveQuery& query, const machine::GpuSpec& gpu,
                                   const machine::ClusterSpec& cluster) {
  ECHO_EXPECT(is_of_host(query.kind) && gpu.host_link.value > 0.0 && cluster.host_memory.value > 0.0);
  const double bytes = static_cast<double>(query.payload.value);
  const double memory = cluster.host_memory.value / cluster.gpus_per_node;
  if (query.kind == ops::CollectiveKind::host_update)
    return {.time = from_seconds(bytes / (memory * update_reach))};
  const double rate = std::min(gpu.host_link.value * link_payload, memory);
  return {.time = copy_start + from_seconds(bytes / rate), .memory_rate = rate};
}

}  // namespace echo::simulate
