// Query and price of one computation on one GPU. Based on shapes, so a price transfers between configs.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"
#include "machine/precision.hpp"

namespace echo::ops {

using machine::Precision;

enum class KernelKind : std::int8_t {
  gemm,                // m x n x k, `batch` times, with separate matrices. C[m,n] += A[m,k] B[k,n]
  attention_forward,   // fused (flash): m query rows, n key rows, k head dim, batch = samples * query heads,
  attention_backward,  //   groups = samples * kv heads; `causal`: queries are the last m
                       //   of n tokens, each sees those up to its own, `span` of them at most
  norm_forward,        // m rows of n elements
  norm_backward,
  activation_forward,  // bias + GELU: reads m x n, writes m x n. `gated`: reads m x 2n, writes m x n (SwiGLU)
  activation_backward,
  residual_forward,  // bias + dropout + add, m x n
  residual_backward,
  rope,             // rotary embedding over m x n, read and write; same cost backward
  softmax_forward,  // unfused attention: scale + mask + softmax over m rows of n, batch = samples * heads
  softmax_backward,
  dropout_forward,  // m x n (attention dropout; dropout alone)
  dropout_backward,
  embedding_forward,      // m tokens gather rows of n
  embedding_backward,     // scatter-add of m rows of n
  cross_entropy_forward,  // m tokens, n local vocabulary entries (fp32 logits)
  cross_entropy_backward,
  router_forward,  // fp32 scores of n experts for m tokens: softmax or sigmoid, top-k, routing map
  router_backward,
  permute,      // m rows of n elements, read once, `groups` copies of each written where their experts want
  unpermute,    // the other way: `groups` rows read and summed into each of m written
  elementwise,  // reads m x n, writes m x n once (casts, adds, copies, transposes)
  grad_accumulate,      // adds m x n 16-bit gradients into an fp32 buffer
  optimizer,            // Adam over m parameters (n bytes of state traffic each)
  grad_norm,            // reads m gradients of n bytes each
  memset_zero,          // writes m elements of n bytes (zero_grad)
  merge,                // adds m x n partial results to a sum: reads both, writes the sum
  convolution_forward,  // causal, of a few taps, over m tokens of n channels each by itself, and SiLU
  convolution_backward,
  scan_forward,   // Mamba-2: m tokens, batch = heads of n channels and n x k numbers of state, groups = B and
                  // C,
  scan_backward,  //   `span` = tokens of a chunk; the gate included
  amax,           // largest magnitude of m x n, and the scale that follows from it
  quantize,       // casts m x n to `precision`, `groups` copies of it; k elements share a scale, 1 = all do
  expert_ffn      // all of a mixture's feed-forward on one rank, as a serving library fuses it: m tokens,
              // `groups` experts each, `batch` experts here, of hidden k and inner n; `gated`; see Routing
};
inline constexpr std::int32_t kernel_kind_count = 35;

// Operand storage of a training GEMM: forward TN, input gradient NN, weight gradient NT (in cuBLAS terms).
enum class GemmLayout : std::int8_t { tn, nn, nt };
inline constexpr std::array<std::string_view, 3> gemm_layout_names{"tn", "nn", "nt"};

// Whether a framework runs the op as one hand-fused kernel or as a chain of eager framework kernels.
enum class KernelStyle : std::int8_t { fused, compiled, eager };

// Fused attention as libraries have it: written for the GPU at hand (FlashAttention-3, cuDNN; on an A100
// FlashAttention-2), FlashAttention-2 wherever it runs, or its predecessor.
enum class AttentionKernel : std::int8_t { native, flash_2, flash_1 };

// Kernel library. `training`: the kernels of training frameworks (cuBLAS, Transformer Engine, the attention
// kernel of the framework's preset). The others are named after the source of their timings: on one GPU and
// shape they differ by 3 to 20 %, so the library is part of the key.
enum class KernelLibrary : std::int8_t { training, sglang, trtllm, simumax, vidur };
inline constexpr std::array<std::string_view, 5> kernel_library_names{"training", "sglang", "trtllm",
                                                                      "simumax", "vidur"};

// Destination of the tokens of an expert_ffn; `groups` experts each take a copy of a token. All zeroes: every
// expert is on this rank and the load is even.
struct Routing {
  std::int32_t experts = 0;  // on all ranks together
  std::int32_t rows = 0;     // copies of tokens sent to the experts of this rank
  std::int32_t reached = 0;  // tokens that have at least one copy here
  // 0: the experts here are loaded evenly; p: their loads follow a power law with exponent 1 + 1/p
  std::int32_t unevenness = 0;
  bool tuned = false;  // the library ships tiles chosen for this shape on this GPU
  friend constexpr auto operator<=>(const Routing&, const Routing&) = default;
};

struct KernelKey {
  KernelKind kind{};
  Precision precision = Precision::bf16;
  GemmLayout layout = GemmLayout::tn;
  KernelStyle style = KernelStyle::fused;
  bool causal = false, gated = false;
  bool fp32_accumulate = false;  // weight gradient added into an fp32 buffer inside the GEMM (beta = 1)
  bool chunked = false;          // attention: `span` counts from multiples of it, not back from the query
  bool grouped = false;          // gemm: one launch per product of the batch (the experts of a mixture)
  AttentionKernel attention = AttentionKernel::native;
  KernelLibrary library = KernelLibrary::training;
  std::int32_t m = 1, n = 1, k = 1;
  std::int32_t batch = 1, groups = 1;
  std::int32_t value_dim = 0;  // attention: head dim of values and outputs if not k
  std::int32_t span = 0;       // attention: most keys a query sees, 0 = all; scan: tokens per chunk
  Routing routing{};           // expert_ffn
  friend constexpr auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

[[nodiscard]] Routing routing_of(const KernelKey&);         // of an expert_ffn, zeroes resolved
[[nodiscard]] std::int32_t value_dim_of(const KernelKey&);  // of an attention kernel
// (Query, key) pairs of one head of an attention kernel. Causal: half of a square, diagonal included as half.
[[nodiscard]] double pairs_of(const KernelKey&);

// Arithmetic the kernel must do (multiply and add are 2), and the HBM bytes it cannot avoid moving.
[[nodiscard]] Flops flops_of(const KernelKey&);
[[nodiscard]] Bytes traffic_of(const KernelKey&);

[[nodiscard]] const char* name_of(KernelKind);

// Evidence behind a price, best first.
enum class Grade : std::int8_t { measured, interpolated, modelled, extrapolated };
inline constexpr std::array<std::string_view, 4> grade_names{"measured", "interpolated", "modelled",
                                                             "extrapolated"};

struct KernelPrice {
  SimTime alone{};             // duration alone on the GPU, without the launch gap
  double sm_share = 1.0;       // fraction of the SMs it can keep busy (wave quantisation: CTAs / slots, <= 1)
  double memory_share = 0.0;   // fraction of HBM bandwidth it draws while running, 0..1
  double compute_bound = 0.0;  // 0 = pure memory-bound, 1 = pure compute-bound: what SM loss costs it
  // Thread blocks of equal length, one per SM at a time, and the share of an unfilled last wave that costs
  // time, 0..1. 0 blocks: the work is divided evenly, and sm_share is sufficient.
  double blocks = 0.0, wave_loss = 0.0;
  // Shares of `alone` inversely proportional to FLOP/s and to HBM bandwidth: minus its elasticities at a
  // fixed choice of tiles. The rest is start and drain.
  double by_arithmetic = 0.0, by_memory = 0.0;
  double error = 0.0;  // relative, one standard deviation, as far as known
  Grade grade = Grade::modelled;
  friend bool operator==(const KernelPrice&, const KernelPrice&) = default;
};

}  // namespace echo::ops
