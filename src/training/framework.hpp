// How a training framework runs a model: defaults for what a config may leave open, and the constants of a
// few mechanisms. Loaded from sweeps/catalog/frameworks/*.toml; at most eight constants each, all with a
// source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

// Storage of gradients (model_states.cpp). main_buffer: one buffer for all (Megatron-LM, PyTorch's DDP and
// FSDP), in the number format in which gradients are reduced; accumulated: fp32 sums beside 16-bit gradients
// and the buckets of DDP (nanotron); partitioned: 16-bit gradients, and an fp32 copy of the part that a rank
// updates (DeepSpeed, InternEvo).
enum class GradientStore : std::int8_t { main_buffer, accumulated, partitioned };

// How gradients reach the ranks that keep their optimizer states under ZeRO 1 and 2: reduce-scatter
// (Megatron-LM), all-reduce over the data group (InternEvo), or reduce to the rank that owns the whole tensor
// (PaddlePaddle).
enum class GradientExchange : std::int8_t { reduce_scatter, all_reduce, reduce };

// How updated weights return: all-gather of equal shards, or broadcast by the rank that owns the whole
// tensor, one owner after the other (workload/traffic/owned_tensors.cpp).
enum class WeightReturn : std::int8_t { all_gather, broadcast };

// Tensors the loss keeps (loss_memory.cpp): logits split over the vocabulary (Megatron-LM, nanotron), those
// of PyTorch's cross_entropy, none because a kernel turns logits into their gradient in place (flash-attn,
// Transformer Engine), or those of PyTorch's cross_entropy of the whole vocabulary on every tensor rank
// (Aleph Alpha's scaling).
enum class LossStore : std::int8_t { vocab_parallel, torch, in_place, gathered };

// Which transfers overlap computation.
struct Overlap {
  bool grad_reduce = false, param_gather = false, pipeline = false, tensor = false;
  friend constexpr auto operator<=>(const Overlap&, const Overlap&) = default;
};

struct FrameworkSpec {
  std::string name;
  std::string base;         // the framework that its file lists the differences from; empty = none
  std::string recipe_name;  // of the recipe that is laid over it (recipe_preset.hpp); empty = as it comes
  Recipe recipe;
  bool flash_attention = true;
  ops::AttentionKernel attention_kernel = ops::AttentionKernel::native;
  // Compute capability from which the framework runs the GPU's own attention kernel instead; 0 = none.
  std::int32_t native_attention_from = 0;
  // Per-op recomputation saves the outputs of portable attention kernels, and runs the GPU's own again.
  bool repeats_native_attention = false;
  bool sequence_parallel = true;  // when tensor > 1
  ZeroStage zero = ZeroStage::optimizer;
  Recompute recompute = Recompute::none;
  Overlap overlap;
  // Recomputation ends with the last tensor that backward needs (PyTorch's non-reentrant checkpoints).
  bool recompute_stops_early = false;
  // The weight gradient waits for the sum of input gradients over the tensor group; else the two overlap.
  bool waits_for_input_gradients = false;
  // Gathered inputs of products under sequence parallelism: kept from forward to backward; gathered again
  // there.
  bool keeps_gathered_inputs = false, gathers_inputs_again = true;
  // Queries, keys and values are copied to another layout before the attention kernel and after it: all of
  // them once, keys and values twice more (concatenation, transposition).
  bool copies_attention_inputs = false;
  // Queries, keys and values are views of one product's output, which what needs them in one piece copies;
  // their gradients are joined again.
  bool splits_joint_projection = false;
  // A separate kernel casts the input of a norm to fp32, and another its gradient back.
  bool norms_in_fp32 = false;
  bool recomputes_norms = false;  // a norm's output is always recomputed in the backward pass
  GradientExchange gradient_exchange = GradientExchange::reduce_scatter;
  WeightReturn weight_return = WeightReturn::all_gather;
  // Tensors have samples outermost, not the sequence: tensors gathered or summed along the sequence are
  // copied into place.
  bool samples_outermost = false;
  GradientStore gradients = GradientStore::main_buffer;
  LossStore loss = LossStore::vocab_parallel;
  // Layers are assigned to stages by the cost of their products, including the output layer's
  // (stage_balance.hpp).
  bool balances_stages = false;
  bool pads_vocabulary = true;  // to a multiple of 128 * tensor
  // Kernels read sharded weights from the buffer they were gathered into (FSDP1, Megatron-FSDP); else the
  // weights are copied out of it first (FSDP2, DeepSpeed).
  bool flat_shards = true;
  std::int64_t bucket_parameters = 40'000'000;  // gradient bucket; at least ...
  std::int64_t bucket_per_rank = 1'000'000;     // ... this many per data rank (Megatron Core)
  SimTime kernel_gap{};       // idle time between dependent kernels on the GPU, including the launch
  SimTime host_per_kernel{};  // CPU time to issue one kernel; binds when kernels are shorter
  SimTime host_per_expert{};  // CPU time to issue one expert's product or cast within a call for all experts
  // Extra host time per tensor-parallel collective and rank of its group while a pipeline crosses nodes.
  SimTime host_per_peer{};
  // CPU time per part of a weight that an all-gather delivers and the framework copies to its place: per
  // step, the tensors of a stage times the ranks that share the states (nanotron).
  SimTime host_per_slice{};
  SimTime host_per_step{};     // data loading, logging, timers: host time the GPU waits for each step
  bool host_measured = false;  // host_per_kernel is not assumed
  Bytes reserve;               // device memory not covered by memory.hpp: libraries' own
  double fragmentation = 0.0;  // excess memory of the caching allocator, over what is allocated
  std::string source;
  friend bool operator==(const FrameworkSpec&, const FrameworkSpec&) = default;
};

// The framework that this one builds on in the end; itself where it has no base.
[[nodiscard]] const FrameworkSpec& root_of(const FrameworkSpec& framework,
                                           const std::vector<FrameworkSpec>& all);
// The framework and the frameworks that it is based on, the one without a base first.
[[nodiscard]] std::vector<const FrameworkSpec*> line_of(const FrameworkSpec&,
                                                        const std::vector<FrameworkSpec>& all);

}  // namespace echo::training
