// Limits a channel of the communication proxy to a link rate. Shared by the GPU's code and the tests.
//
// A link carries one tile after the other, each for `tile` time. A channel may run ahead of it by the slots
// of its FIFO (NCCL_STEPS, nccl/src/include/device.h) and no further: a tile is due when the link has carried
// all but `slots` of those before it. Time that the link stands idle because the channel was late is lost,
// but the empty slots let the channel catch up, as in NCCL.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define ECHO_HOST_DEVICE __host__ __device__
#else
#define ECHO_HOST_DEVICE
#endif

namespace echo::profilers {

// Picoseconds since the channel started. 64 bits last for half a year.
using Picoseconds = std::int64_t;

struct Pace {
  Picoseconds tile = 0;       // the link's time for one tile; 0 = as fast as the channel can
  std::int32_t slots = 8;     // NCCL_STEPS
  Picoseconds link_free = 0;  // when the link will have carried all tiles so far

  // The earliest time at which the next tile may be moved.
  ECHO_HOST_DEVICE constexpr Picoseconds due() const { return link_free - tile * slots; }
  // A tile was handed to the link at `now`, which is not before due().
  ECHO_HOST_DEVICE constexpr void hand_over(Picoseconds now) {
    link_free = (now > link_free ? now : link_free) + tile;
  }
};

// One channel's tile time, for a link rate that `channels` share evenly.
ECHO_HOST_DEVICE constexpr Picoseconds tile_time(std::int64_t tile_bytes, std::int32_t channels,
                                                 double link_rate) {
  return link_rate > 0.0
             ? static_cast<Picoseconds>(static_cast<double>(tile_bytes) * channels / link_rate * 1e12)
             : 0;
}

}  // namespace echo::profilers
