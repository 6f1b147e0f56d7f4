// The tiles that a library divides a matrix product into, and their cost.
#pragma once

#include <cstdint>

#include "machine/gpu.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// A product on one GPU: its shape, and the library constants that do not depend on the tiles.
struct TiledProduct {
  std::int32_t m = 1, n = 1, k = 1, batch = 1;
  std::int32_t operand_log2 = 1;  // bytes
  std::int32_t capability = 80;
  double sms = 1.0;
  double flop_time = 0.0;       // s per FLOP on one SM in the main loop, including layout and alignment
  double byte_time = 0.0;       // s per HBM byte
  double near_byte_time = 0.0;  // s per byte read from L2, all SMs together; 0 = no limit
  double l2_bytes = 0.0;        // capacity of L2
  double result_bytes = 2.0;    // per element of C, written (and read if it accumulates)
  double prologue = 0.0;        // elements of depth
  double tile_loss = 0.0;       // elements
  double wave_loss = 0.0;       // 0..1
  double overlap_leak = 0.0;    // 0..1
  double ramp = 0.0;            // s
  double partial_bytes = 8.0;   // partial sums of an element, per split of k
  std::int32_t width_step = 0;  // elements; 0 = tiles of powers of two
  std::int32_t cluster_rows = 0,
               cluster_columns = 0;  // tiles of 128 x 128 in a cluster; 0 = tiles are chosen
  double ragged = 0.0;               // extra cost of a partly filled last band, in full bands
};

// Means over the tiles that the library may choose.
struct TiledTime {
  double arithmetic = 0.0, memory = 0.0, time = 0.0;  // s, before the power limit
  double sm_share = 1.0;                              // of the waves' slots
  double blocks = 0.0;                                // of the fastest
};
[[nodiscard]] TiledTime time_in_tiles(const TiledProduct&);

}  // namespace echo::kernels
