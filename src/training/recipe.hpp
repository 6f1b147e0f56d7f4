// Training settings beyond degrees and batch: kernels, number formats, recomputation, communication. Every
// framework starts from its own recipe; a sweep may set each choice separately. recipe.cpp holds one row per
// choice, from which axes, keys of framework files and config ids are made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/placement.hpp"
#include "ops/collective.hpp"
#include "ops/generic_settings.hpp"
#include "ops/kernel.hpp"

namespace echo::training {

// How ranks that share a sequence obtain each other's keys and values (Megatron-LM --cp-comm-type).
enum class ContextComm : std::int8_t { ring, all_gather, ulysses, hybrid };

// How tokens reach experts on other nodes: each copy separately (NCCL's all-to-all), or once per node, where
// it is forwarded (DeepEP, HybridEP).
enum class Dispatch : std::int8_t { per_copy, per_node };

// Scales of 8-bit products: of earlier steps, of the tensor itself, of blocks of it (DeepSeek-V3), or of each
// of its rows (torchao).
enum class Fp8Recipe : std::int8_t { delayed, current, blockwise, rowwise };

// adam: fp32 moments. adam_bf16: 16-bit moments. adam_8bit: block-quantised moments. sgd: one momentum.
enum class Optimizer : std::int8_t { adam, adam_bf16, adam_8bit, sgd };

// Tensors kept by full recomputation: the input of every group of `recompute_layers` layers, or of the first
// `recompute_layers` layers of a chunk, the others keeping all (Megatron-LM --recompute-method).
enum class RecomputeMethod : std::int8_t { uniform, block };

// Modules recomputed by selective recomputation (Megatron-LM --recompute-modules), as bits.
enum class Module : std::int32_t {
  core_attn = 1,
  layernorm = 2,
  mla_up_proj = 4,
  mlp = 8,
  moe_act = 16,
  moe = 32,
  shared_experts = 64
};

// Products of a layer, by Megatron's names, as bits.
enum class Product : std::int32_t { linear_qkv = 1, linear_proj = 2, linear_fc1 = 4, linear_fc2 = 8 };

struct Recipe {
  // Kernels and the host.
  ops::KernelStyle kernels = ops::KernelStyle::fused;  // layer norm, activation, residual, softmax, optimizer
  ops::KernelStyle kernels_rms_rope = ops::KernelStyle::fused;       // RMSNorm and rotary embedding
  ops::KernelStyle kernels_loss = ops::KernelStyle::fused;           // cross-entropy over a split vocabulary
  ops::KernelLibrary kernel_library = ops::KernelLibrary::training;  // whose products and attention
  bool cuda_graphs = false;  // passes are replayed: the host issues one launch
  // The fabric between nodes.
  std::int32_t topology = 0;                   // 0 = the cluster's own, else a word of the choice
  std::int32_t oversubscription_permille = 0;  // of leaf uplinks, in thousandths; 0 = the cluster's own
  std::int32_t routing = 0;                    // 0 = the cluster's own, else one more than a machine::Routing
  machine::Placement placement = machine::Placement::packed;
  std::int32_t placement_seed = 0;  // of scattered
  // Number formats.
  Fp8Recipe fp8_recipe = Fp8Recipe::delayed;
  bool fp8_gather = false;              // sharded weights of 8-bit products travel in 8 bit
  bool fp32_gradients = true;           // main gradients kept and reduced in fp32
  bool fused_grad_accumulation = true;  // weight-gradient GEMM adds straight into the main gradient
  Optimizer optimizer = Optimizer::adam;
  bool grad_clip = true;  // gradients are scaled by their global norm
  // Context parallelism.
  ContextComm cp_comm = ContextComm::ring;
  std::int32_t cp_inner = 0;  // hybrid: ranks of an all-to-all group; 0 = those of one node
  // Pipeline.
  bool scatter_gather = false;  // hops carry 1/tensor each, all-gathered on arrival (Narayanan 2021, 4.1)
  std::int32_t microbatch_group = 0;  // interleaved: microbatches through one chunk before the next; 0 = pp
  bool post_validation = true;        // zero bubble: no stage waits for the gradient norm (Qi et al. 2023, 4)
  // Sharded weights (ZeRO-3, FSDP).
  std::int32_t fsdp_prefetch = 1;  // units gathered ahead of the one that runs
  bool fsdp_reshard = true;        // weights are freed after the forward pass
  bool no_sync = false;            // gradients of sharded states are reduced per step, not per microbatch
  // Host memory.
  bool offload_optimizer = false;   // states and update on the CPU (ZeRO-Offload)
  std::int32_t offload_layers = 0;  // layers of each chunk whose activations wait in host memory
  // Recomputation, beside TrainingConfig::recompute.
  std::int32_t recompute_modules =
      static_cast<std::int32_t>(Module::core_attn);             // of selective; bits of Module
  RecomputeMethod recompute_method = RecomputeMethod::uniform;  // of full
  std::int32_t recompute_layers = 0;  // of full; 0 = uniform: every layer separately, block: all of a chunk
  // Mixtures of experts.
  Dispatch dispatch = Dispatch::per_copy;
  bool overlaps_shared_experts = false;  // run beside the experts' all-to-alls
  bool overlap_ep = false;  // all-to-alls of one microbatch run beside the computation of another
  std::int32_t capacity_permille =
      0;  // tokens an expert takes, over the mean, in thousandths; 0 = all that come
  std::int32_t imbalance_permille = 0;  // coefficient of variation of tokens per expert, in thousandths
  // What is trained.
  // Mean tokens of the documents that are packed into a sequence and do not attend to each other; 0 = one
  // fills it.
  std::int32_t packed_tokens = 0;
  std::int32_t mtp_layers = 0;     // extra layers that each predict one token further (DeepSeek-V3, 2.2)
  std::int32_t lora_rank = 0;      // low-rank adapters on a frozen model; 0 = all weights are trained
  std::int32_t lora_targets = 15;  // products that have adapters; bits of Product
  // Communicators: NCCL settings besides TrainingConfig::nccl_version.
  ops::NcclAlgorithm nccl_algo = ops::NcclAlgorithm::automatic;
  ops::NcclProtocol nccl_proto = ops::NcclProtocol::automatic;
  std::int32_t nccl_min_nchannels = 0, nccl_max_nchannels = 0,
               nccl_max_p2p_nchannels = 0;  // 0 = NCCL decides
  ops::CommLibrary comm_library = ops::CommLibrary::cluster;
  std::int32_t comm_kernels = 0;  // tried before the library; bits of ops::CommKernel
  // Collectives: NCCL's, or textbook ones, which the others describe (ops::GenericSettings).
  ops::CollectiveModel collectives = ops::CollectiveModel::nccl_whitebox;
  ops::GenericAlgorithm generic_algorithm = ops::GenericAlgorithm::best;
  std::int32_t generic_chunks = 0;  // 0 = the best power of two up to 64
  ops::DimensionOrder generic_order = ops::DimensionOrder::inner_first;
  ops::ChunkQueue generic_queue = ops::ChunkQueue::fifo;
  friend constexpr auto operator<=>(const Recipe&, const Recipe&) = default;

  [[nodiscard]] constexpr bool recomputes(Module module) const {
    return (recompute_modules & static_cast<std::int32_t>(module)) != 0;
  }
  [[nodiscard]] constexpr bool adapts(Product product) const {
    return (lora_targets & static_cast<std::int32_t>(product)) != 0;
  }
};

// How the value of a choice is written: true or false; a whole number from 0; one of `words`; several of them
// joined by "+"; a real number, stored in thousandths.
enum class ChoiceKind : std::int8_t { flag, count, word, words, permille };

struct ChoiceHead {
  std::string_view name;  // of the axis, the column and the key in framework files
  ChoiceKind kind;
};
// In the order of Recipe's members.
inline constexpr auto choice_heads = std::to_array<ChoiceHead>({
    {"kernels", ChoiceKind::word},
    {"kernels_rms_rope", ChoiceKind::word},
    {"kernels_loss", ChoiceKind::word},
    {"kernel_library", ChoiceKind::word},
    {"cuda_graphs", ChoiceKind::flag},
    {"topology", ChoiceKind::word},
    {"oversubscription", ChoiceKind::permille},
    {"routing", ChoiceKind::word},
    {"placement", ChoiceKind::word},
    {"placement_seed", ChoiceKind::count},
    {"fp8_recipe", ChoiceKind::word},
    {"fp8_gather", ChoiceKind::flag},
    {"fp32_gradients", ChoiceKind::flag},
    {"fused_grad_accumulation", ChoiceKind::flag},
    {"optimizer", ChoiceKind::word},
    {"grad_clip", ChoiceKind::flag},
    {"cp_comm", ChoiceKind::word},
    {"cp_inner", ChoiceKind::count},
    {"scatter_gather", ChoiceKind::flag},
    {"microbatch_group", ChoiceKind::count},
    {"post_validation", ChoiceKind::flag},
    {"fsdp_prefetch", ChoiceKind::count},
    {"fsdp_reshard", ChoiceKind::flag},
    {"no_sync", ChoiceKind::flag},
    {"offload_optimizer", ChoiceKind::flag},
    {"offload_layers", ChoiceKind::count},
    {"recompute_modules", ChoiceKind::words},
    {"recompute_method", ChoiceKind::word},
    {"recompute_layers", ChoiceKind::count},
    {"dispatch", ChoiceKind::word},
    {"overlaps_shared_experts", ChoiceKind::flag},
    {"overlap_ep", ChoiceKind::flag},
    {"capacity_factor", ChoiceKind::permille},
    {"expert_imbalance", ChoiceKind::permille},
    {"packed_tokens", ChoiceKind::count},
    {"mtp_layers", ChoiceKind::count},
    {"lora_rank", ChoiceKind::count},
    {"lora_targets", ChoiceKind::words},
    {"nccl_algo", ChoiceKind::word},
    {"nccl_proto", ChoiceKind::word},
    {"nccl_min_nchannels", ChoiceKind::count},
    {"nccl_max_nchannels", ChoiceKind::count},
    {"collectives", ChoiceKind::word},
    {"generic_algorithm", ChoiceKind::word},
    {"generic_chunks", ChoiceKind::count},
    {"generic_order", ChoiceKind::word},
    {"generic_queue", ChoiceKind::word},
    {"nccl_max_p2p_nchannels", ChoiceKind::count},
    {"comm_library", ChoiceKind::word},
    {"comm_kernels", ChoiceKind::words},
});
inline constexpr auto choice_count = static_cast<std::int32_t>(choice_heads.size());

// The index of a choice; an unknown name does not compile.
consteval std::int32_t choice_named(std::string_view name) {
  std::int32_t i = 0;
  while (choice_heads.at(static_cast<std::size_t>(i)).name != name) ++i;
  return i;
}

struct Choice : ChoiceHead {
  std::span<const std::string_view> words;  // of word and words
  std::int32_t highest;
  std::int32_t (*get)(const Recipe&);
  void (*set)(Recipe&, std::int32_t);
};
[[nodiscard]] std::span<const Choice, choice_count> recipe_choices();  // in the order of choice_heads

// Words joined by "+" ("core_attn+mlp", or "none") and bits, of a choice of kind `words`. Parsing gives
// nothing where a word is unknown; the text of bits names them in the order of `words`.
[[nodiscard]] std::optional<std::int32_t> bits_of(const Choice&, std::string_view text);
[[nodiscard]] std::string text_of_bits(const Choice&, std::int32_t bits);

}  // namespace echo::training
