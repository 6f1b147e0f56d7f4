// Fitted constants of one GPU kind's kernels: flat named numbers, read from
// sweeps/catalog/kernels/<gpu>.toml.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/knots.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Clocks of a kernel: those of a training step, set by the power limit, or those of a micro-benchmark that
// pauses between kernels.
enum class Clocks : std::int8_t { sustained, benchmark };

// Rates are fractions of the GpuSpec's peak, so that related GPUs (A800, H800) can share a file. Used by the
// models in gemm.cpp, attention.cpp, expert_ffn.cpp and memory_bound.cpp.
struct KernelConstants {
  std::string name;  // of the GPU kind
  ops::KernelLibrary library = ops::KernelLibrary::training;

  // Matrix products.
  double gemm_rate_16 = 0;       // bf16, fp16: fraction of peak an SM reaches inside an endless main loop
  double gemm_rate_8 = 0;        // fp8, mxfp8, nvfp4
  double gemm_rate_32 = 0;       // tf32, fp32
  double gemm_tile_loss = 0;     // bytes: tiles of r x c elements are slowed by loss (1/r + 1/c) / operand
  double gemm_tile_loss_8 = 0;   // the same, 8-bit operands
  double gemm_prologue = 0;      // bytes of k-depth equivalent to filling the pipeline and writing a tile
  double gemm_prologue_8 = 0;    // the same, 8-bit operands (scales, requantisation)
  double gemm_wave_loss = 0;     // share of the idle slots of the last wave that is really lost, 0..1
  double gemm_bandwidth = 0;     // fraction of peak HBM bandwidth a product can draw
  double gemm_overlap_leak = 0;  // share of the shorter of arithmetic and memory time that is not hidden
  double gemm_ramp = 0;          // s, start and drain of one kernel
  double gemm_nn = 0;            // arithmetic time of an input-gradient product over a forward one
  double gemm_nt = 0;            // the same for a weight-gradient product
  double gemm_misaligned_16 =
      0;  // arithmetic time factor: a contiguous dimension is not a multiple of 16 bytes
  double gemm_misaligned_128 = 0;  // ... of 16 but not of 128 bytes
  double gemm_throttle = 0;    // extra time at the power limit in a micro-benchmark, reached by kernels ...
  double gemm_throttle_8 = 0;  // the same, 8-bit operands
  double gemm_throttle_half = 0;  // s, ... much longer than this
  double gemm_sustained = 0;      // extra time in a training step, at any length; 0 = micro-benchmark
  double gemm_sustained_8 = 0;    // the same, 8-bit operands
  double gemm_sustained_4 = -1;   // the same, 4-bit operands; negative: as with 8 bits

  // Products of a library whose kernels are known in more detail (gemm_tiles.cpp). A file may leave these
  // out.
  double gemm_wave_loss_8 = -1;  // 8-bit operands; negative, here and in the next four: as with 16 bits
  double gemm_bandwidth_8 = -1;
  double gemm_overlap_leak_8 = -1;
  double gemm_ramp_8 = -1;
  double gemm_throttle_half_8 = -1;
  double gemm_l2 = 0;              // bytes that the SMs get from L2 per FLOP of the 16-bit peak; 0 = no limit
  double gemm_l2_8 = 0;            // the same, 8-bit operands
  double gemm_partials = 8;        // bytes: traffic of an element's partial sums per split of k
  double gemm_tile_step = 0;       // elements: tile widths are multiples of it; 0 = powers of two
  double gemm_tile_step_8 = 0;     // the same, 8-bit operands
  double gemm_cluster_rows_8 = 0;  // 8-bit operands: tiles of 128 x 128 per cluster along m; 0 = other
                                   // tiles
  double gemm_cluster_columns_8 = 0;  // ... and along n
  double gemm_ragged_8 = 0;           // extra cost of a partly filled last band of such tiles, in full bands
  double gemm_cast_start = 0;  // s, of the kernels that cast the activation to 8 bits in a micro-benchmark
  double gemm_cast_near = 0;   // bytes of HBM time that an element of it takes from L2
  double gemm_cast_far = 0;    // ... and in addition from HBM
  double gemm_streams = 0;     // products of a group that run concurrently; 0 = all
  double gemm_issue = 0;       // s between the starts of a group's products in a micro-benchmark

  // Fused attention. What the kernel is:
  double attention_tile_rows = 0;  // query rows of one thread block
  double attention_tile_keys = 0;  // keys processed at a time
  double attention_packs = 0;  // 1: the query heads of a group share thread blocks; 0: every head has its own
  double attention_splits = 0;  // 1: if blocks are few, the keys of each are split over the idle SMs
  // How fast it is.
  double attention_forward_rate = 0;     // fraction of 16-bit peak in its products
  double attention_softmax = 0;          // head dim whose products take as long as the softmax of a score
  double attention_exposed = 0;          // share of the shorter of products and softmax that is not hidden
  double attention_forward_unequal = 0;  // time factor if keys are wider than values
  double attention_prologue = 0;         // s, starting and ending one thread block
  double attention_odd_group = 0;        // s more if the heads of a group are not a power of two
  double attention_tail = 0;             // share of one thread block's time by which the last one overhangs
  double attention_bandwidth = 0;        // fraction of peak HBM bandwidth it can draw
  double attention_overlap_leak = 0;     // share of the shorter of arithmetic and memory time not hidden
  double attention_ramp = 0;             // s, start and drain
  double attention_throttle = 0;         // extra time at the power limit in a micro-benchmark, reached by ...
  double attention_throttle_half = 0;    // s, ... kernels much longer than this
  double attention_sustained = 0;        // extra time in a training step, at any length
  double attention_backward_rate = 0;    // fraction of 16-bit peak
  double attention_backward_softmax = 0;  // elements of head dim equivalent to a score's softmax, per product
  double attention_backward_unequal = 0;  // as forward
  double attention_backward_tail = 0;     // as forward
  double attention_backward_throttle = 0;  // as forward
  // Time of FlashAttention-2 as PyTorch has it for this GPU (AOTriton on AMD) over that of the GPU's own
  // kernel, forward and backward; 0 = as the generation of NVIDIA GPUs says.
  double attention_portable = 0;
  double attention_backward_portable = 0;
  // Additional work of an inference library, absent in a training step.
  double attention_wrapper_start = 0;  // s
  double attention_cache_passes = 0;   // passes over new keys and values, at the kernel's bandwidth
  double attention_query_passes = 0;   // ... over queries (splitting and rotating them)
  double attention_row_time = 0;       // s per head and token, including keys' heads
  double attention_long_rotation = 0;  // relative increase of all this beyond a table of 1024 positions

  // Fused feed-forward of a mixture's experts.
  double expert_rate = 0;        // fraction of peak of an endless tile
  double expert_tuned_rate = 0;  // the same if the library has tiles chosen for the shape
  double expert_tile_loss = 0;   // elements: tiles of r x c are slowed by loss (1/r + 1/c)
  double expert_prologue = 0;    // elements of depth equivalent to filling the pipeline and writing a tile
  double expert_wave_loss = 0;   // share of the idle slots of the last wave that is really lost, 0..1
  double expert_misaligned =
      0;  // arithmetic time factor: rows of the inner size are not a multiple of 32 bytes
  double expert_bandwidth = 0;     // fraction of peak HBM bandwidth that the products draw
  double expert_reread = 0;        // re-reads of weights not avoided by the order of tiles and by L2
  double expert_overlap_leak = 0;  // share of the shorter of arithmetic and memory time that is not hidden
  double expert_apart = 0;         // share of the experts' time that does not overlap with other experts'
  double expert_activation = 0;    // fraction of peak bandwidth of the activation between the products
  double expert_combine = 0;       // fraction of peak bandwidth of copying rows to experts and summing them
  double expert_ramp = 0;          // s, starts of all kernels except an unfused router
  double expert_router_ramp = 0;   // s, of an unfused router
  double expert_router = 0;        // s per token of an unfused router, times sqrt(experts / 128)
  double expert_router_fused = 0;  // the same, fused (up to 128 experts, eight per token)
  double expert_remote = 0;        // share of rows of other ranks' experts that is processed anyway

  // Memory-bound ops: fraction of peak HBM bandwidth reached on large tensors, per class.
  double memory_copy = 0;  // elementwise, gradient accumulation, dropout
  double memory_norm = 0;
  double memory_norm_backward = 0;
  double memory_activation = 0;
  double memory_residual = 0;
  double memory_rope = 0;
  double memory_softmax = 0;
  double memory_embedding = 0;
  double memory_scatter = 0;   // embedding gradient (atomics)
  double memory_loss = 0;      // cross-entropy
  double memory_permute = -1;  // tokens to their experts and back; negative: as memory_copy
  double memory_optimizer = 0;
  double memory_read = 0;      // gradient norm: reads only
  double memory_write = 0;     // memset: writes only
  double memory_compiled = 0;  // bandwidth of a compiler's or framework's kernel over a hand-written one's
  double memory_reuse = 0;     // share of L2 that holds an op's tensors from the previous op
  double memory_l2 = 1;        // rate of L2 over that of HBM
  double memory_half = 0;      // bytes at which a kernel reaches half of its bandwidth

  // Errors of prices: mean |predicted / measured - 1| over shapes held out of the fit.
  double error_gemm_16 = 0.1, error_gemm_8 = 0.1, error_gemm_32 = 0.1;
  double error_attention_forward = 0.1, error_attention_backward = 0.1;
  double error_experts = 0.1;
  double error_memory = 0.1;
  // Standard deviations of gemm_sustained, gemm_sustained_8 and gemm_sustained_4, as their file states them.
  double error_sustained_16 = 0.05, error_sustained_8 = 0.05, error_sustained_4 = 0.05;

  // Residual corrections of the models, measured over modelled; coordinates in knots_fields().
  Knots gemm_knots_16, gemm_knots_8, attention_knots, expert_knots;

  std::vector<KernelConstants> libraries;  // the same of other libraries, each complete

  friend bool operator==(const KernelConstants&, const KernelConstants&) = default;
};

// Constants of a library, or those of training if it has none.
[[nodiscard]] const KernelConstants& constants_of(const KernelConstants&, ops::KernelLibrary);

// The relative error of products that the sustained rate of a precision's operands causes.
[[nodiscard]] double sustained_error(const KernelConstants&, machine::Precision);

// Name and member of each constant: the single list for readers, writers and serialisers.
struct KernelConstantField {
  const char* name;
  double KernelConstants::*member;
  bool is_optional = false;                  // may be missing in a file; then the default holds
  double KernelConstants::*error = nullptr;  // holds the error that the file states, where a band needs it
};
[[nodiscard]] std::span<const KernelConstantField> kernel_constant_fields();

struct KnotsField {
  const char* name;
  const char* coordinates;  // quantities of the three axes, in octaves
  Knots KernelConstants::*member;
};
[[nodiscard]] std::span<const KnotsField> knots_fields();

}  // namespace echo::kernels
