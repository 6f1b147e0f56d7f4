// A collective's footprint on one GPU, without its peers.
//
// A ring step of NCCL reads its own data and what the previous GPU sent, sums them and writes the result to
// the next GPU, on a few resident blocks of 512 threads ("channels"), at the pace of the link. The proxy does
// the same on three local arrays: reads, a sum of bfloat16 pairs, a write, tile after tile, each held back
// until the link of pace.hpp would take it. What a ring writes to its neighbour's HBM its other neighbour
// writes to its own, so one local write stands for both.
//
// Neglected: waiting on a peer (a real channel polls a flag; ours polls a clock), traffic on NVLink and PCIe,
// FIFOs that stay in L2.
#include <cuda_bf16.h>

#include "profilers/device/proxy.hpp"
#include "profilers/overlap/proxy_tiles.hpp"

namespace {

using echo::profilers::Pace;
using echo::profilers::proxy_threads;
using echo::profilers::proxy_unroll;

struct ProxyWork {
  std::int64_t tiles, region_tiles;
  Pace pace;
  std::int32_t reads, writes;
  const uint4 *own, *arrived;
  uint4* sent;
  volatile std::int32_t* started;
};

__device__ std::int64_t nanoseconds() {
  std::int64_t now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__device__ unsigned sum_of_pairs(unsigned a, unsigned b) {
  const __nv_bfloat162 sum =
      __hadd2(*reinterpret_cast<const __nv_bfloat162*>(&a), *reinterpret_cast<const __nv_bfloat162*>(&b));
  return *reinterpret_cast<const unsigned*>(&sum);
}

__device__ uint4 sum_of(uint4 a, uint4 b) {
  return {sum_of_pairs(a.x, b.x), sum_of_pairs(a.y, b.y), sum_of_pairs(a.z, b.z), sum_of_pairs(a.w, b.w)};
}

// One tile: this thread's `proxy_unroll` vectors, all loads in flight before the first store.
__device__ void move_tile(const ProxyWork& work, std::int64_t first, unsigned& seen) {
  uint4 data[proxy_unroll] = {};
  if (work.reads > 0)
#pragma unroll
    for (int i = 0; i < proxy_unroll; ++i)
      data[i] = __ldcg(work.own + first + i * proxy_threads + threadIdx.x);
  if (work.reads > 1) {
    uint4 other[proxy_unroll];
#pragma unroll
    for (int i = 0; i < proxy_unroll; ++i)
      other[i] = __ldcg(work.arrived + first + i * proxy_threads + threadIdx.x);
#pragma unroll
    for (int i = 0; i < proxy_unroll; ++i) data[i] = sum_of(data[i], other[i]);
  }
  if (work.writes > 0) {
#pragma unroll
    for (int i = 0; i < proxy_unroll; ++i)
      __stcg(work.sent + first + i * proxy_threads + threadIdx.x, data[i]);
  } else {
#pragma unroll
    for (int i = 0; i < proxy_unroll; ++i) seen ^= data[i].x ^ data[i].y ^ data[i].z ^ data[i].w;
  }
}

}  // namespace

// Grid: one block a channel. All of a block wait at the barriers while its first thread keeps the time, as
// NCCL's threads wait for the one that polls.
extern "C" __global__ void __launch_bounds__(proxy_threads, 1) echo_communication_proxy(ProxyWork work) {
  const std::int32_t channel = static_cast<std::int32_t>(blockIdx.x);
  const bool keeps_time = threadIdx.x == 0;
  const std::int64_t start = nanoseconds();
  if (keeps_time) {
    work.started[channel] = 1;
    __threadfence_system();
  }
  Pace pace = work.pace;
  const auto since_start = [&] { return (nanoseconds() - start) * 1000; };
  const bool moves = work.reads + work.writes > 0;
  unsigned seen = 0;
  for (std::int64_t tile = 0; tile < work.tiles; ++tile) {
    if (keeps_time)
      while (since_start() < pace.due()) __nanosleep(40);
    __syncthreads();
    if (moves) move_tile(work, echo::profilers::proxy_vector(channel, tile, work.region_tiles), seen);
    __syncthreads();
    if (keeps_time) {
      __threadfence();
      pace.hand_over(since_start());
    }
  }
  if (keeps_time)
    while (since_start() < pace.link_free) __nanosleep(40);
  if (seen == 0x9e3779b9u && work.tiles < 0) work.sent[0] = {};  // never: keeps loads that nothing else uses
}

extern "C" __global__ void echo_gate(const volatile std::int32_t* open, std::int64_t patience_ns) {
  const std::int64_t start = nanoseconds();
  while (*open == 0 && nanoseconds() - start < patience_ns) __nanosleep(100);
}

namespace echo::profilers {

cudaError_t launch_proxy(const ProxyLaunch& launch, cudaStream_t stream) {
  const ProxyShare share = proxy_share(launch.payload, launch.channels);
  const ProxyWork work{.tiles = share.tiles,
                       .region_tiles = share.region_tiles,
                       .pace = {.tile = tile_time(proxy_tile_bytes, launch.channels, launch.link_rate)},
                       .reads = launch.traffic.reads,
                       .writes = launch.traffic.writes,
                       .own = static_cast<const uint4*>(launch.own),
                       .arrived = static_cast<const uint4*>(launch.arrived),
                       .sent = static_cast<uint4*>(launch.sent),
                       .started = launch.started};
  const cudaError_t allowed = cudaFuncSetAttribute(
      echo_communication_proxy, cudaFuncAttributeMaxDynamicSharedMemorySize, proxy_shared_memory);
  if (allowed != cudaSuccess) return allowed;
  echo_communication_proxy<<<static_cast<unsigned>(launch.channels), proxy_threads, proxy_shared_memory,
                             stream>>>(work);
  return cudaGetLastError();
}

cudaError_t launch_gate(const volatile std::int32_t* open, std::int64_t patience_ns, cudaStream_t stream) {
  echo_gate<<<1, 1, 0, stream>>>(open, patience_ns);
  return cudaGetLastError();
}

}  // namespace echo::profilers
