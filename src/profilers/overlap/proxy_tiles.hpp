// The bytes that a channel of the communication proxy moves. Shared by the GPU's code and the tests.
#pragma once

#include <cstdint>

#include "profilers/overlap/pace.hpp"

namespace echo::profilers {

// A channel is one thread block. 512 threads and an unrolled loop of eight 16-byte vectors are NCCL's for its
// Simple protocol (NCCL_SIMPLE_MAX_NTHREADS and ncclCollUnroll, nccl/src/include/device.h).
inline constexpr std::int32_t proxy_threads = 512, proxy_unroll = 8;
inline constexpr std::int64_t proxy_tile_vectors = proxy_threads * proxy_unroll;
inline constexpr std::int64_t proxy_tile_bytes = proxy_tile_vectors * 16;
// Shared memory of NCCL's kernels on GPUs since the A100: 82 240 bytes of scratch for 20 warps
// (ncclShmemDynamicSize) and some 16 KiB of state (ncclShmemData).
inline constexpr std::int32_t proxy_shared_memory = 96 * 1024;
// Bytes of each of its three arrays. Far larger than any L2, so what it moves it moves from and to HBM; of a
// real collective a part, the FIFOs of its channels, stays in L2.
inline constexpr std::int64_t proxy_array_bytes = std::int64_t{512} << 20;

struct ProxyShare {
  std::int64_t tiles = 0;         // of one channel
  std::int64_t region_tiles = 0;  // of an array, which the channel walks round and round
};

// The part of each of `channels`, so that together they carry `payload` bytes, rounded up to whole tiles.
constexpr ProxyShare proxy_share(std::int64_t payload, std::int32_t channels) {
  const std::int64_t of_all = proxy_tile_bytes * channels;
  return {(payload + of_all - 1) / of_all, proxy_array_bytes / of_all};
}

// First vector of a tile in each of the arrays.
ECHO_HOST_DEVICE constexpr std::int64_t proxy_vector(std::int32_t channel, std::int64_t tile,
                                                     std::int64_t region_tiles) {
  return (channel * region_tiles + tile % region_tiles) * proxy_tile_vectors;
}

}  // namespace echo::profilers
