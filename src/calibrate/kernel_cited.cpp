#include "calibrate/kernel_cited.hpp"

namespace echo::calibrate {

namespace {

using C = profile::KernelConstants;

constexpr const char* start = "starting point of the fit";
constexpr const char* guide =
    "cited: NVIDIA Matrix Multiplication Background User's Guide, alignment figures (A100)";
constexpr const char* training_kernels =
    "cited: bandwidth of Apex, Megatron and Transformer Engine kernels, 0.7-0.9 of what a copy reaches";
constexpr const char* little =
    "cited: a kernel's start and drain take about 2 us (1.5 us on Blackwell) of bandwidth";
constexpr const char* heat =
    "cited: Hopper and Blackwell hold their power limit over tens of ms, a step is two thirds products; A100 "
    "seldom meets it";

constexpr CitedConstant table[] = {
    {&C::gemm_rate_16, 0.95, 0.87, 0.82, 0.76, 0.05, start},
    {&C::gemm_rate_8, 0.9, 0.85, 0.85, 0.95, 0.05, start},
    {&C::gemm_rate_32, 0.85, 0.80, 0.76, 0.72, 0.1, "cited: tf32 reaches the share of peak that 16 bit does"},
    {&C::gemm_tile_loss, 24, 4, 4, 4, 0.5, start},
    {&C::gemm_tile_loss_8, 24, 4, 4, 24, 0.5, start},
    {&C::gemm_prologue, 264, 315, 250, 20, 0.2, start},
    {&C::gemm_prologue_8, 400, 330, 350, 550, 0.2, start},
    {&C::gemm_wave_loss, 0.45, 0.25, 0.2, 0.25, 0.2, start},
    {&C::gemm_bandwidth, 0.75, 0.75, 0.65, 0.65, 0.1, start},
    {&C::gemm_overlap_leak, 0.08, 0.07, 0.05, 0.2, 0.3, start},
    {&C::gemm_ramp, 4e-6, 3.4e-6, 3.3e-6, 2.6e-6, 0.2, start},
    {&C::gemm_nn, 1.0, 1.005, 1.005, 1.02, 0.02, "cited: between A100 and B200 (SimuMax training tables)"},
    {&C::gemm_nt, 1.04, 1.04, 1.04, 1.04, 0.02, "cited: between A100 and B200 (SimuMax training tables)"},
    {&C::gemm_misaligned_16, 1.6, 1.6, 1.6, 1.6, 0.3, guide},
    {&C::gemm_misaligned_128, 1.04, 1.03, 1.03, 1.03, 0.5, guide},
    {&C::gemm_throttle, 0.025, 0.15, 0.19, 0.2, 0.2, start},
    {&C::gemm_throttle_8, 0.0, 0.05, 0.05, 0.05, 0.5, start},
    {&C::gemm_throttle_half, 1.5e-3, 1e-3, 1.1e-3, 1.7e-3, 0.2, start},
    {&C::gemm_sustained, 0.6, 0.6, 0.6, 0.6, 0.4, heat},
    {&C::attention_forward_rate, 0.8, 0.9, 0.9, 0.9, 0.1, start},
    {&C::attention_forward_softmax, 24, 45, 45, 85, 0.3,
     "cited: head dim 64 against 128, FlashAttention-2 paper (A100)"},
    {&C::attention_backward_rate, 0.7, 0.8, 0.8, 0.7, 0.1,
     "cited: FlashAttention-3 paper, backward on H100: 561 TFLOP/s (head dim 128, 16k), 0.77 of it at head "
     "dim 64"},
    {&C::attention_backward_softmax, 24, 55, 55, 85, 0.3,
     "cited: head dim 64 against 128, FlashAttention-2 and -3 papers; Blackwell as forward"},
    {&C::attention_prologue, 50, 200, 200, 330, 0.2, start},
    {&C::attention_tail, 0.6, 0.05, 0.05, 0.6, 0.3, start},
    {&C::attention_backward_tail, 0.3, 0.1, 0.1, 0.1, 0.5,
     "cited: between A100 and B200 (SimuMax training tables)"},
    {&C::attention_ramp, 4e-6, 4e-6, 4e-6, 4e-6, 0.5,
     "cited: as a product's; the tables' own start includes a server's"},
    {&C::memory_copy, 0.84, 0.90, 0.89, 0.80, 0.05,
     "cited: BabelStream-like copies; B200 between those and SimuMax's 0.67 for training kernels"},
    {&C::memory_norm, 0.75, 0.78, 0.75, 0.70, 0.15, training_kernels},
    {&C::memory_norm_backward, 0.60, 0.62, 0.60, 0.55, 0.2, training_kernels},
    {&C::memory_activation, 0.80, 0.82, 0.80, 0.72, 0.15, training_kernels},
    {&C::memory_residual, 0.80, 0.85, 0.83, 0.75, 0.1, training_kernels},
    {&C::memory_rope, 0.45, 0.45, 0.42, 0.40, 0.2,
     "cited: as on H100 (vidur tables), fewer bytes in flight per byte/s"},
    {&C::memory_softmax, 0.75, 0.78, 0.75, 0.70, 0.15, training_kernels},
    {&C::memory_embedding, 0.145, 0.178, 0.125, 0.09, 0.3,
     "cited: PyTorch's index kernel is bound by issue, as on H100 (vidur tables)"},
    {&C::memory_scatter, 0.25, 0.25, 0.2, 0.15, 0.4,
     "cited: sort and segmented sum of PyTorch's embedding gradient"},
    {&C::memory_loss, 0.78, 0.80, 0.78, 0.70, 0.15, training_kernels},
    {&C::memory_optimizer, 0.82, 0.85, 0.83, 0.78, 0.1, training_kernels},
    {&C::memory_read, 0.85, 0.88, 0.86, 0.80, 0.1, training_kernels},
    {&C::memory_write, 0.88, 0.90, 0.88, 0.85, 0.1, training_kernels},
    {&C::memory_compiled, 0.95, 0.95, 0.95, 0.95, 0.05,
     "cited: torch.compile's pointwise kernels come within 5 % of hand-written ones"},
    {&C::memory_half, 3.4e6, 6e6, 8e6, 1e7, 0.4, little},
};

}  // namespace

std::span<const CitedConstant> cited_constants() { return table; }

}  // namespace echo::calibrate
