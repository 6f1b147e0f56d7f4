// Fitted constants of one GPU kind's kernels: flat named numbers, read from
// sweeps/catalog/kernels/<gpu>.toml.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ops/kernel.hpp"
#include "profile/knots.hpp"

namespace echo::profile {

// Clocks at which a kernel runs: those of a training step, which the power limit sets, or those of a
// micro-benchmark that pauses between kernels.
enum class Clocks : std::int8_t { sustained, benchmark };

// Rates are fractions of the GpuSpec's peak, so that siblings (A800, H800) can share a file. The models that
// read them are gemm.cpp, attention.cpp and memory_bound.cpp.
struct KernelConstants {
  std::string name;  // of the GPU kind
  ops::KernelLibrary library = ops::KernelLibrary::training;

  // Matrix products.
  double gemm_rate_16 = 0;        // bf16, fp16: fraction of peak an SM reaches inside an endless main loop
  double gemm_rate_8 = 0;         // fp8, mxfp8, nvfp4
  double gemm_rate_32 = 0;        // tf32, fp32
  double gemm_tile_loss = 0;      // bytes: tiles of r x c elements are slowed by loss (1/r + 1/c) / operand
  double gemm_tile_loss_8 = 0;    // the same, 8-bit operands
  double gemm_prologue = 0;       // bytes of k-depth that filling the pipeline and writing a tile are worth
  double gemm_prologue_8 = 0;     // the same, 8-bit operands (scales, requantisation)
  double gemm_wave_loss = 0;      // share of the idle slots of the last wave that is really lost, 0..1
  double gemm_bandwidth = 0;      // fraction of peak HBM bandwidth a product can draw
  double gemm_overlap_leak = 0;   // share of the shorter of arithmetic and memory time that is not hidden
  double gemm_ramp = 0;           // s, start and drain of one kernel
  double gemm_nn = 0;             // arithmetic time of an input-gradient product over a forward one
  double gemm_nt = 0;             // the same for a weight-gradient product
  double gemm_misaligned_16 = 0;  // arithmetic time factor: a contiguous dimension is no multiple of 16 bytes
  double gemm_misaligned_128 = 0;  // ... of 16 but not of 128 bytes
  double gemm_throttle = 0;    // extra time at the power limit in a micro-benchmark, reached by kernels ...
  double gemm_throttle_8 = 0;  // the same, 8-bit operands
  double gemm_throttle_half = 0;  // s, ... much longer than this
  double gemm_sustained = 0;    // extra time inside a training step, whatever the length; 0 = micro-benchmark
  double gemm_sustained_8 = 0;  // the same, 8-bit operands

  // Products of a library whose kernels are known in more detail (gemm_tiles.cpp). A file may leave these
  // out.
  double gemm_wave_loss_8 = -1;  // 8-bit operands; negative, here and in the next four: as with 16 bits
  double gemm_bandwidth_8 = -1;
  double gemm_overlap_leak_8 = -1;
  double gemm_ramp_8 = -1;
  double gemm_throttle_half_8 = -1;
  double gemm_l2 = 0;           // bytes that the SMs have from L2 per FLOP of the 16-bit peak; 0 = no limit
  double gemm_l2_8 = 0;         // the same, 8-bit operands
  double gemm_partials = 8;     // bytes: what an element's partial sums cost, for each split of k
  double gemm_tile_step = 0;    // elements: tiles are multiples of it wide; 0 = powers of two
  double gemm_tile_step_8 = 0;  // the same, 8-bit operands
  double gemm_cluster_rows_8 = 0;  // 8-bit operands: tiles of 128 x 128 that a cluster has along m; 0 = other
                                   // tiles
  double gemm_cluster_columns_8 = 0;  // ... and along n
  double gemm_ragged_8 = 0;           // full bands of such tiles that a partly filled last one costs more
  double gemm_cast_start = 0;  // s, of the kernels that cast the activation to 8 bits in a micro-benchmark
  double gemm_cast_near = 0;   // bytes of HBM time that an element of it takes from L2
  double gemm_cast_far = 0;    // ... and on top of that from HBM
  double gemm_streams = 0;     // products of a group that run side by side; 0 = all
  double gemm_issue = 0;       // s between the starts of a group's products in a micro-benchmark

  // Fused attention.
  double attention_forward_rate = 0;      // fraction of 16-bit peak in its products
  double attention_forward_softmax = 0;   // elements of head dim that the softmax of a score is worth
  double attention_backward_rate = 0;     // fraction of 16-bit peak
  double attention_backward_softmax = 0;  // as forward, per product of the backward pass
  double attention_prologue = 0;          // keys that starting and ending one thread block is worth
  double attention_tail = 0;              // share of one thread block's time by which the last one overhangs
  double attention_backward_tail = 0;     // the same in the backward pass
  double attention_ramp = 0;              // s, start and drain

  // Memory-bound ops: fraction of peak HBM bandwidth reached on large tensors, per class.
  double memory_copy = 0;  // elementwise, gradient accumulation, dropout
  double memory_norm = 0;
  double memory_norm_backward = 0;
  double memory_activation = 0;
  double memory_residual = 0;
  double memory_rope = 0;
  double memory_softmax = 0;
  double memory_embedding = 0;
  double memory_scatter = 0;  // embedding gradient (atomics)
  double memory_loss = 0;     // cross-entropy
  double memory_optimizer = 0;
  double memory_read = 0;      // gradient norm: reads only
  double memory_write = 0;     // memset: writes only
  double memory_compiled = 0;  // bandwidth of a compiler's or framework's kernel over a hand-written one's
  double memory_half = 0;      // bytes at which a kernel reaches half of its bandwidth

  // How far prices are off, as mean |predicted / measured - 1| over shapes that the fit had not seen.
  double error_gemm_16 = 0.1, error_gemm_8 = 0.1, error_gemm_32 = 0.1;
  double error_attention_forward = 0.1, error_attention_backward = 0.1;
  double error_memory = 0.1;

  // What the models leave over, as measured over modelled; coordinates in knots_fields().
  Knots gemm_knots_16, gemm_knots_8, attention_knots;

  std::vector<KernelConstants> libraries;  // the same of other libraries, each complete

  friend bool operator==(const KernelConstants&, const KernelConstants&) = default;
};

// Those of a library, or of training where it has none of its own.
[[nodiscard]] const KernelConstants& constants_of(const KernelConstants&, ops::KernelLibrary);

// Name and place of each constant, so that readers, writers and serialisers need no list of their own.
struct KernelConstantField {
  const char* name;
  double KernelConstants::*member;
  bool is_optional = false;  // a file may leave it out; the default stands
};
[[nodiscard]] std::span<const KernelConstantField> kernel_constant_fields();

struct KnotsField {
  const char* name;
  const char* coordinates;  // what the three axes are octaves of
  Knots KernelConstants::*member;
};
[[nodiscard]] std::span<const KnotsField> knots_fields();

}  // namespace echo::profile
