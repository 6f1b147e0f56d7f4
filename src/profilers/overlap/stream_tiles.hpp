// The 16-byte vectors that a thread block of the stream kernel touches. Shared by the GPU's code and the
// tests.
#pragma once

#include <cstdint>

#include "profilers/overlap/pace.hpp"

namespace echo::profilers {

// A block takes tiles of 4096 elements in turn. A tile of an array of w-byte elements is 256 * w vectors of
// 16 bytes: w rounds of one vector for each of 256 threads, side by side.
inline constexpr std::int32_t stream_threads = 256, stream_tile_elements = 4096, vector_bytes = 16;

ECHO_HOST_DEVICE constexpr std::int64_t stream_vector(std::int64_t tile, std::int32_t width,
                                                      std::int32_t round, std::int32_t thread) {
  return (tile * width + round) * stream_threads + thread;
}

// Whole tiles: elements are rounded up, and arrays are as large as that.
ECHO_HOST_DEVICE constexpr std::int64_t stream_tiles(std::int64_t elements) {
  return (elements + stream_tile_elements - 1) / stream_tile_elements;
}

// Bytes of an array of `width`-byte elements that the kernel touches.
ECHO_HOST_DEVICE constexpr std::int64_t stream_array_bytes(std::int64_t elements, std::int32_t width) {
  return stream_tiles(elements) * stream_tile_elements * width;
}

}  // namespace echo::profilers
