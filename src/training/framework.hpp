// How a training framework runs a model: defaults of what a config may leave open, and a few mechanisms'
// constants. Loaded from sweeps/catalog/frameworks/*.toml; at most eight constants each, all with a source.
#pragma once

#include <cstdint>
#include <string>

#include "base/id.hpp"
#include "base/units.hpp"
#include "training/recipe.hpp"

namespace echo::training {

using FrameworkId = Id<struct FrameworkTag>;

// per_op: torchtitan's selective checkpointing, which keeps attention and every other matrix product.
enum class Recompute : std::int8_t { none, selective, full, per_op };
enum class ZeroStage : std::int8_t {
  none,
  optimizer,
  gradients,
  parameters
};  // ZeRO 0..3; 3 = FSDP full shard

// Which transfers run beside computation.
struct Overlap {
  bool grad_reduce = false, param_gather = false, pipeline = false, tensor = false;
  friend constexpr auto operator<=>(const Overlap&, const Overlap&) = default;
};

struct FrameworkSpec {
  std::string name;
  Recipe recipe;
  bool flash_attention = true;
  ops::AttentionKernel attention_kernel = ops::AttentionKernel::native;
  bool sequence_parallel = true;    // when tensor > 1
  ZeroStage zero = ZeroStage::optimizer;
  Recompute recompute = Recompute::none;
  Overlap overlap;
  bool pads_vocabulary = true;                  // to a multiple of 128 * tensor
  // Sharded weights are gathered into the buffer that kernels read them from (FSDP1, Megatron-FSDP), not
  // copied out of it first (FSDP2, DeepSpeed).
  bool flat_shards = true;
  std::int64_t bucket_parameters = 40'000'000;  // gradient bucket, before scaling with the data degree
  SimTime kernel_gap{};       // idle time between dependent kernels on the GPU, launch included
  SimTime host_per_kernel{};  // CPU time to issue one kernel; binds when kernels are shorter
  SimTime host_per_expert{};  // CPU time to issue one expert's product of a grouped GEMM
  // Extra host time per tensor-parallel collective and rank of its group while a pipeline engine runs beside
  // it.
  SimTime host_per_peer{};
  SimTime host_per_step{};     // data loading, logging, timers: host time the GPU waits for each step
  Bytes reserve;               // CUDA context, NCCL buffers, workspaces outside the allocator
  double fragmentation = 0.0;  // fraction of activations the caching allocator holds beyond need
  std::string source;
  friend bool operator==(const FrameworkSpec&, const FrameworkSpec&) = default;
};

}  // namespace echo::training
