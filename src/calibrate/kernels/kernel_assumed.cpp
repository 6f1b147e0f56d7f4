#include "calibrate/kernels/kernel_assumed.hpp"

namespace echo::calibrate {

const char* const unequal_backward =
    "measured: cuDNN's times of 128 heads of 192 and 128 channels over those of 128 channels, causal, "
    "4096 to 16384 tokens, 9.18.1 and 9.22 on GB200 and GB300 (1.18 and 1.12), 9.19.1 on H200 "
    "(NVIDIA/cudnn-frontend benchmark/sdpa_benchmark_training/results); SimuMax measured 1.42 on a B200, "
    "version not stated";

namespace {

using C = kernels::KernelConstants;

constexpr const char* start = "starting point of the fit; not fitted: the GPU has no such products";
constexpr const char* guide =
    "assumed after the alignment advice of NVIDIA's Matrix Multiplication Background User's Guide";
constexpr const char* training_kernels =
    "assumed: a fused training kernel reaches 0.7 to 0.95 of what a copy reaches";
constexpr const char* little = "assumed: a kernel's start and drain are worth about 2 us of bandwidth";
constexpr const char* between = "assumed: between what SimuMax's training tables say of A100 and B200";
constexpr const char* grouped =
    "assumed: near what TensorRT-LLM's grouped products reach; training runs none of these";
constexpr const char* unmeasured = "assumed: no table holds such kernels out";

constexpr const char* shape = "assumed: flash-attention hopper/tile_size.h; keys of A100: its 4-warp kernels";
constexpr const char* fixed_length =
    "assumed: fixed-length batches of many tiles neither pack heads nor split keys";
constexpr const char* exponentials =
    "assumed: 16 exponentials a clock against the tensor cores' FLOP a clock";
constexpr const char* no_wrapper = "assumed: a training step calls the bare kernel";
constexpr const char* in_between =
    "assumed: in a step, what one op leaves in L2 is too little of what the next ones read to tell";

constexpr AssumedConstant table[] = {
    {&C::gemm_rate_16, 0.95, 0.87, 0.82, 0.76, 0.05, start},
    {&C::gemm_rate_8, 0.9, 0.85, 0.85, 0.95, 0.05, start},
    {&C::gemm_rate_32, 0.85, 0.80, 0.76, 0.72, 0.1,
     "assumed: tf32 reaches the share of peak that 16 bit does"},
    {&C::gemm_tile_loss, 24, 4, 4, 4, 0.5, start},
    {&C::gemm_tile_loss_8, 24, 4, 4, 24, 0.5, start},
    {&C::gemm_prologue, 264, 315, 250, 20, 0.2, start},
    {&C::gemm_prologue_8, 400, 330, 350, 550, 0.2, start},
    {&C::gemm_wave_loss, 0.45, 0.25, 0.2, 0.25, 0.2, start},
    {&C::gemm_bandwidth, 0.75, 0.75, 0.65, 0.65, 0.1, start},
    {&C::gemm_overlap_leak, 0.08, 0.07, 0.05, 0.2, 0.3, start},
    {&C::gemm_ramp, 4e-6, 3.4e-6, 3.3e-6, 2.6e-6, 0.2, start},
    {&C::gemm_nn, 1.0, 1.005, 1.005, 1.02, 0.02, between},
    {&C::gemm_nt, 1.04, 1.04, 1.04, 1.04, 0.02, between},
    {&C::gemm_misaligned_16, 1.6, 1.6, 1.6, 1.6, 0.3, guide},
    {&C::gemm_misaligned_128, 1.04, 1.03, 1.03, 1.03, 0.5, guide},
    {&C::gemm_throttle, 0.025, 0.15, 0.19, 0.2, 0.2, start},
    {&C::gemm_throttle_8, 0.0, 0.05, 0.05, 0.05, 0.5, start},
    {&C::gemm_throttle_half, 1.5e-3, 1e-3, 1.1e-3, 1.7e-3, 0.2, start},
    {&C::gemm_sustained, 0.05, 0.3, 0.3, 0.4, 0.3, start},
    {&C::gemm_sustained_8, 0.05, 0.4, 0.4, 0.6, 0.3, start},
    {&C::attention_tile_rows, 128, 128, 128, 128, 0.0, shape},
    {&C::attention_tile_keys, 64, 128, 128, 128, 0.0, shape},
    {&C::attention_packs, 0, 0, 0, 0, 0.0, fixed_length},
    {&C::attention_splits, 0, 0, 0, 0, 0.0, fixed_length},
    {&C::attention_forward_rate, 0.8, 0.9, 0.9, 0.95, 0.1, start},
    {&C::attention_softmax, 32, 64, 64, 128, 0.1, exponentials},
    {&C::attention_exposed, 0.5, 0.6, 0.6, 0.15, 0.3,
     "assumed: FlashAttention-2 at head dim 64 runs at about 0.9 of the rate at 128"},
    {&C::attention_forward_unequal, 1.13, 0.97, 0.97, 1.1, 0.05,
     "measured: cuDNN 9.19.1's times of 128 heads of 192 and 128 channels over those of 128 channels, "
     "causal, 4096 and 8192 tokens on H200 "
     "(NVIDIA/cudnn-frontend benchmark/sdpa_benchmark_training/results); "
     "elsewhere assumed: between what SimuMax's training tables say of A100 and B200"},
    {&C::attention_prologue, 1.2e-6, 1e-6, 1e-6, 2e-6, 0.2, start},
    {&C::attention_odd_group, 0, 0, 0, 0.3e-6, 0.5, start},
    {&C::attention_tail, 0.8, 0.25, 0.25, 0.65, 0.3, start},
    {&C::attention_bandwidth, 0.73, 0.67, 0.55, 0.75, 0.2, start},
    {&C::attention_overlap_leak, 0.3, 0.6, 0.6, 0.2, 0.3, start},
    {&C::attention_ramp, 4e-6, 4e-6, 4e-6, 4e-6, 0.5,
     "assumed: as a product's; the tables' own start includes a server's"},
    {&C::attention_throttle, 0.05, 0.2, 0.25, 0.5, 0.2, start},
    {&C::attention_throttle_half, 1e-2, 3e-3, 3e-3, 1e-2, 0.3, start},
    {&C::attention_sustained, 0.02, 0.06, 0.06, 0.05, 0.5, start},
    {&C::attention_backward_rate, 0.7, 0.8, 0.8, 0.7, 0.1,
     "assumed after FlashAttention-3 (Shah et al. 2024, backward figures on H100), less 6 % for causal "
     "masks"},
    {&C::attention_backward_softmax, 24, 55, 55, 78, 0.3,
     "assumed: FlashAttention-2 and -3 at head dim 64 run at 0.75 to 0.9 of the rate at 128"},
    {&C::attention_backward_unequal, 1.28, 1.25, 1.25, 1.16, 0.05, unequal_backward},
    {&C::attention_backward_tail, 0.3, 0.1, 0.1, 0.1, 0.5, between},
    {&C::attention_backward_throttle, 0.05, 0.2, 0.2, 0.2, 0.5, between},
    {&C::attention_wrapper_start, 0, 0, 0, 0, 0.0, no_wrapper},
    {&C::attention_cache_passes, 0, 0, 0, 0, 0.0, no_wrapper},
    {&C::attention_query_passes, 0, 0, 0, 0, 0.0, no_wrapper},
    {&C::attention_row_time, 0, 0, 0, 0, 0.0, no_wrapper},
    {&C::attention_long_rotation, 0, 0, 0, 0, 0.0, no_wrapper},
    {&C::expert_rate, 0.8, 0.8, 0.8, 0.8, 0.1, grouped},
    {&C::expert_tuned_rate, 0.8, 0.8, 0.8, 0.8, 0.1, grouped},
    {&C::expert_tile_loss, 15, 15, 15, 10, 0.5, grouped},
    {&C::expert_prologue, 40, 40, 40, 40, 0.5, grouped},
    {&C::expert_wave_loss, 0.3, 0.3, 0.3, 0.3, 0.5, grouped},
    {&C::expert_misaligned, 1.6, 1.6, 1.6, 1.6, 0.3, guide},
    {&C::expert_bandwidth, 0.8, 0.8, 0.8, 0.8, 0.1, grouped},
    {&C::expert_reread, 0, 0, 0, 0, 0, grouped},
    {&C::expert_overlap_leak, 0.1, 0.1, 0.1, 0.1, 0.5, grouped},
    {&C::expert_apart, 0.9, 0.9, 0.9, 0.9, 0.2, grouped},
    {&C::expert_activation, 0.8, 0.8, 0.8, 0.7, 0.15, grouped},
    {&C::expert_combine, 0.6, 0.6, 0.6, 0.5, 0.2, grouped},
    {&C::expert_ramp, 3e-5, 3e-5, 3e-5, 3e-5, 0.3, grouped},
    {&C::expert_router_ramp, 2e-5, 2e-5, 2e-5, 2e-5, 0.3, grouped},
    {&C::expert_router, 7e-9, 7e-9, 7e-9, 7e-9, 0.3, grouped},
    {&C::expert_router_fused, 5e-10, 5e-10, 5e-10, 5e-10, 0.5, grouped},
    {&C::expert_remote, 0, 0, 0, 0, 0, grouped},
    {&C::memory_copy, 0.84, 0.90, 0.89, 0.80, 0.05,
     "assumed: between SimuMax's 0.67 for B200 training kernels and a copy on H100"},
    {&C::memory_norm, 0.75, 0.78, 0.75, 0.70, 0.15, training_kernels},
    {&C::memory_norm_backward, 0.60, 0.62, 0.60, 0.55, 0.2, training_kernels},
    {&C::memory_activation, 0.80, 0.82, 0.80, 0.72, 0.15, training_kernels},
    {&C::memory_residual, 0.80, 0.85, 0.83, 0.75, 0.1, training_kernels},
    {&C::memory_rope, 0.45, 0.45, 0.42, 0.40, 0.2, "assumed: as on H100 (vidur tables)"},
    {&C::memory_softmax, 0.75, 0.78, 0.75, 0.70, 0.15, training_kernels},
    {&C::memory_embedding, 0.145, 0.178, 0.125, 0.09, 0.3,
     "assumed: bytes per second as on H100 (vidur tables); issue, not HBM, binds PyTorch's index kernel"},
    {&C::memory_scatter, 0.25, 0.25, 0.2, 0.15, 0.4, "assumed: PyTorch sorts the tokens and sums segments"},
    {&C::memory_loss, 0.78, 0.80, 0.78, 0.39, 0.15,
     "assumed: a fused training kernel reaches 0.7 to 0.95 of what a copy reaches; on Blackwell as "
     "Transformer Engine's loss on a B200, 8 bytes a logit (of 10) at 0.28 of 8 TB/s by SimuMax's training "
     "tables"},
    {&C::memory_permute, -1, -1, -1, 0.20, 0.25,
     "assumed: as Transformer Engine's permutations on a B200, which SimuMax's training tables count with "
     "2.8 times the bytes moved and 0.5 of 8 TiB/s (simu_tools test_ce_permute_efficiency.py, launches "
     "deducted): 0.2 of 7.67 TB/s"},
    {&C::memory_optimizer, 0.82, 0.85, 0.83, 0.78, 0.1, training_kernels},
    {&C::memory_read, 0.85, 0.88, 0.86, 0.80, 0.1, training_kernels},
    {&C::memory_write, 0.88, 0.90, 0.88, 0.85, 0.1, training_kernels},
    {&C::memory_compiled, 0.95, 0.95, 0.95, 0.95, 0.05,
     "assumed: compilers' pointwise kernels come within 5 % of hand-written ones"},
    {&C::memory_reuse, 0, 0, 0, 0, 0, in_between},
    {&C::memory_l2, 1, 1, 1, 1, 0, in_between},
    {&C::memory_half, 3.4e6, 6e6, 8e6, 1e7, 0.4, little},
    {&C::error_gemm_16, 0.1, 0.1, 0.1, 0.1, 0.5, unmeasured},
    {&C::error_gemm_8, 0.1, 0.1, 0.1, 0.1, 0.5, unmeasured},
    {&C::error_gemm_32, 0.1, 0.1, 0.1, 0.1, 0.5, unmeasured},
    {&C::error_attention_forward, 0.1, 0.1, 0.1, 0.1, 0.5, unmeasured},
    {&C::error_attention_backward, 0.12, 0.12, 0.12, 0.12, 0.5, unmeasured},
    {&C::error_experts, 0.15, 0.15, 0.15, 0.15, 0.5, unmeasured},
    {&C::error_memory, 0.12, 0.12, 0.12, 0.12, 0.5, unmeasured},
};

}  // namespace

std::span<const AssumedConstant> assumed_constants() { return table; }

}  // namespace echo::calibrate
