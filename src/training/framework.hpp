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

// What gradients are kept in (model_states.cpp): one buffer of all (Megatron-LM, PyTorch's DDP and FSDP),
// in 16 bit though the recipe reduces in fp32 (half_buffer: NVIDIA's performance recipes); fp32 sums beside
// 16-bit gradients and the buckets of DDP (nanotron); 16-bit gradients, the part a rank updates again in fp32
// (DeepSpeed, InternEvo).
enum class GradientStore : std::int8_t { main_buffer, half_buffer, accumulated, partitioned };

// How gradients come to the ranks that keep states of them, under ZeRO 1 and 2: as scattered sums
// (Megatron-LM), as sums that every rank of the data group gets (InternEvo), or as sums to the rank that owns
// a tensor whole (PaddlePaddle).
enum class GradientExchange : std::int8_t { reduce_scatter, all_reduce, reduce };

// How updated weights come back: as equal shards, or from the rank that owns a tensor whole, one owner after
// the other (workload/traffic/owned_tensors.cpp).
enum class WeightReturn : std::int8_t { all_gather, broadcast };

// What the loss keeps (loss_memory.cpp): logits split over the vocabulary (Megatron-LM, nanotron), PyTorch's
// cross_entropy, or a kernel that turns logits into their gradient in place (flash-attn, Transformer Engine).
enum class LossStore : std::int8_t { vocab_parallel, torch, in_place };

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
  bool sequence_parallel = true;  // when tensor > 1
  ZeroStage zero = ZeroStage::optimizer;
  Recompute recompute = Recompute::none;
  Overlap overlap;
  // Recomputation ends with the last tensor that backward needs (PyTorch's non-reentrant checkpoints).
  bool recompute_stops_early = false;
  // The sum of input gradients over the tensor group holds up the weight gradient; else it runs beside it.
  bool waits_for_input_gradients = false;
  // Whole inputs of products under sequence parallelism: held from forward to backward; gathered again there.
  bool keeps_gathered_inputs = false, gathers_inputs_again = true;
  // Queries, keys and values are laid out anew by copies on their way into the attention kernel and back:
  // once all of them, twice more keys and values (put together, turned round).
  bool copies_attention_inputs = false;
  // The input of a norm is cast to fp32 by a kernel of its own, its gradient back.
  bool norms_in_fp32 = false;
  bool recomputes_norms =
      false;  // a norm's output is formed again in the backward pass, whatever else is kept
  GradientExchange gradient_exchange = GradientExchange::reduce_scatter;
  WeightReturn weight_return = WeightReturn::all_gather;
  // Tensors have samples outermost, not the sequence: what is gathered or summed along it is copied into
  // place.
  bool samples_outermost = false;
  GradientStore gradients = GradientStore::main_buffer;
  LossStore loss = LossStore::vocab_parallel;
  // Layers are dealt out to stages by the cost of their products, the output layer's counted
  // (stage_balance.hpp).
  bool balances_stages = false;
  bool pads_vocabulary = true;  // to a multiple of 128 * tensor
  // Sharded weights are gathered into the buffer that kernels read them from (FSDP1, Megatron-FSDP), not
  // copied out of it first (FSDP2, DeepSpeed).
  bool flat_shards = true;
  std::int64_t bucket_parameters = 40'000'000;  // gradient bucket; at least ...
  std::int64_t bucket_per_rank = 1'000'000;     // ... this many for each data rank (Megatron Core)
  SimTime kernel_gap{};       // idle time between dependent kernels on the GPU, launch included
  SimTime host_per_kernel{};  // CPU time to issue one kernel; binds when kernels are shorter
  SimTime host_per_expert{};  // CPU time to issue one expert's product of a grouped GEMM
  // Extra host time per tensor-parallel collective and rank of its group while a pipeline engine runs beside
  // it.
  SimTime host_per_peer{};
  // CPU time for each part of a weight that an all-gather brings and the framework copies to its place: as
  // many a step as a stage has tensors, times the ranks that share the states (nanotron).
  SimTime host_per_slice{};
  SimTime host_per_step{};     // data loading, logging, timers: host time the GPU waits for each step
  bool host_measured = false;  // neither kernel_gap, host_per_kernel nor host_per_step is assumed
  Bytes reserve;               // of the device, beyond what memory.hpp names: libraries' own memory
  double fragmentation = 0.0;  // what the caching allocator holds beyond need, over what is allocated
  std::string source;
  friend bool operator==(const FrameworkSpec&, const FrameworkSpec&) = default;
};

}  // namespace echo::training
