#include "training/feasibility.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace echo::training {
namespace {

std::string rule_of(const TrainingConfig& c, const ModelSpec& m = support::tiny_gpt(),
                    const machine::ClusterSpec& cluster = support::eight_gpu_nodes()) {
  return first_broken_rule({c, m, support::plain_framework(), cluster, support::an_a100()}).text;
}

TrainingConfig with(Degrees degrees) { return support::a_config(degrees); }

TEST(Feasibility, APlainConfigIsFeasible) {
  EXPECT_EQ(rule_of(with({.tensor = 2, .pipeline = 2, .data = 2})), "");
}

TEST(Feasibility, TensorDegreeMustDivideHeads) {
  EXPECT_EQ(rule_of(with({.tensor = 3, .pipeline = 1, .data = 1})),
            "tensor degree must divide the attention heads");
}

TEST(Feasibility, DataTimesMicrobatchMustDivideTheBatch) {
  TrainingConfig c = with({.tensor = 1, .pipeline = 1, .data = 8});
  c.batch.micro_samples = 3;
  EXPECT_EQ(rule_of(c), "data degree times microbatch must divide the global batch");
}

TEST(Feasibility, ExpertDegreesMustFitTheModelAndTheRanksOfAStage) {
  const ModelSpec m = support::tiny_mixture();
  EXPECT_EQ(rule_of(with({.data = 8, .expert = 2})), "expert parallelism needs a mixture-of-experts model");
  EXPECT_EQ(rule_of(with({.data = 8, .expert = 8}), m), "");
  EXPECT_EQ(rule_of(with({.data = 8, .expert = 16}), m), "ep * etp must divide tp * cp * dp");
  EXPECT_EQ(rule_of(with({.data = 8, .expert = 8, .expert_tensor = 2}), m),
            "ep * etp must divide tp * cp * dp");
  ModelSpec twelve = m;
  twelve.experts = 12;
  EXPECT_EQ(rule_of(with({.data = 8, .expert = 8}), twelve), "expert degree must divide the experts");
  ModelSpec odd = m;
  odd.expert_ffn_hidden = 769;
  EXPECT_EQ(rule_of(with({.data = 8, .expert = 2, .expert_tensor = 2}), odd),
            "expert-tensor degree must divide the experts' feed-forward width");
}

TEST(Feasibility, AMixtureUnderTensorParallelismNeedsASharedSequence) {
  TrainingConfig c = with({.tensor = 2, .data = 4, .expert = 8});
  EXPECT_EQ(rule_of(c, support::tiny_mixture()),
            "mixtures of experts under tensor parallelism need sequence parallelism");
  c.sequence_parallel = true;
  EXPECT_EQ(rule_of(c, support::tiny_mixture()), "");
}

TEST(Feasibility, AMixturesShardsMustFitItsExpertsToo) {
  TrainingConfig c = with({.data = 8, .expert = 4});
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(rule_of(c, support::tiny_mixture()), "");
  c.zero_group = 2;  // four copies of the optimizer's states, but only two of each expert
  EXPECT_EQ(rule_of(c, support::tiny_mixture()),
            "shard groups must divide the experts' data-parallel ranks as well");
  c.zero_group = 4;
  EXPECT_EQ(rule_of(c, support::tiny_mixture()), "");
}

TEST(Feasibility, AdaptersNeedPlainLayersAndARankThatTensorRanksDivide) {
  TrainingConfig c = with({.tensor = 4});
  c.recipe.lora_rank = 6;
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "tensor degree must divide the adapters' rank");
  c.recipe.lora_rank = 8;
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "");
  c.sequence_parallel = true;
  EXPECT_EQ(rule_of(c, support::tiny_mixture()),
            "adapters of mixtures, latent attention and Mamba layers are not simulated yet");
}

TEST(Feasibility, OffloadingNeedsWhatItsFrameworksAsk) {
  TrainingConfig c = with({.data = 2});
  c.recipe.offload_optimizer = true;
  EXPECT_EQ(rule_of(c, support::tiny_gpt()),
            "an optimizer in host memory needs sharded optimizer states (ZeRO-1 or more)");
  c.zero = ZeroStage::optimizer;
  EXPECT_EQ(rule_of(c, support::tiny_gpt()),
            "the catalog does not say how fast the GPU's link to its host and the host's memory are");
  c.recipe.offload_optimizer = false;
  c.recipe.offload_layers = 8;
  EXPECT_EQ(rule_of(c, support::tiny_gpt()),
            "activations of all layers but one can wait in host memory at most");
  c.recipe.offload_layers = 7;
  c.recompute = Recompute::full;
  EXPECT_EQ(rule_of(c, support::tiny_gpt()), "activations that are recomputed do not wait in host memory");
  c.degrees.pipeline = 2;
  EXPECT_EQ(rule_of(c, support::tiny_gpt()),
            "activations do not wait in host memory under pipeline parallelism");
}

TEST(Feasibility, WhatLeavesTheGpuNeedsAMemoryThatTheClusterHas) {
  TrainingConfig c = with({.data = 2});
  machine::ClusterSpec cluster = support::eight_gpu_nodes();
  cluster.host_memory = BytesPerSecond(400e9);
  cluster.tiers[at(machine::MemoryTier::nvme) - 1] = {.read = BytesPerSecond(56e9),
                                                      .write = BytesPerSecond(30e9)};
  const auto rule = [&](machine::Precision precision = machine::Precision::bf16) {
    machine::GpuSpec gpu = support::an_a100();
    gpu.host_link = BytesPerSecond(32e9);
    gpu.compute_capability = 90;
    gpu.peak[at(machine::Precision::fp8)] = gpu.peak[at(machine::Precision::bf16)];
    c.precision = precision;
    return std::string(
        first_broken_rule({c, support::tiny_llama(), support::plain_framework(), cluster, gpu}).text);
  };
  c.recipe.offload_weights = true;
  EXPECT_EQ(rule(),
            "weights beyond the GPU need sharded weights (ZeRO-3) where data-parallel ranks have copies");
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(rule(), "");
  c.recipe.weight_tier = machine::MemoryTier::cxl;
  EXPECT_EQ(rule(), "the cluster has no such memory for weights");
  c.recipe.weight_tier = machine::MemoryTier::nvme;
  EXPECT_EQ(rule(), "");
  c.recipe.offload_optimizer = true, c.recipe.optimizer_tier = machine::MemoryTier::remote;
  EXPECT_EQ(rule(), "the cluster has no such memory for optimizer states");
  c.recipe.optimizer_tier = machine::MemoryTier::nvme;
  EXPECT_EQ(rule(), "");
  c.recipe.activation_tier = machine::MemoryTier::cxl;  // of no activations
  EXPECT_EQ(rule(), "");
  c.recipe.offload_layers = 2;
  EXPECT_EQ(rule(), "the cluster has no such memory for activations");
  c.degrees.data = 1, c.recipe.activation_tier = machine::MemoryTier::host;
  EXPECT_EQ(rule(machine::Precision::fp8),
            "weights in 8 or 4 bits that no data-parallel ranks share do not come from beyond the GPU yet");
}

TEST(Feasibility, ContextParallelismNeedsFusedAttentionAndEqualPieces) {
  TrainingConfig c = with({.tensor = 1, .pipeline = 1, .data = 4, .context = 2});
  EXPECT_EQ(rule_of(c), "");
  c.batch.sequence_tokens = 1022;
  EXPECT_EQ(rule_of(c), "context parallelism needs a sequence of 2 * cp equal pieces");
  c.batch.sequence_tokens = 1024;
  c.flash_attention = false;
  EXPECT_EQ(rule_of(c), "context parallelism needs fused attention");
}

TrainingConfig shared_by(std::int32_t context, ContextComm how, std::int32_t inner = 0) {
  TrainingConfig c = with({.context = context});
  c.recipe.cp_comm = how, c.recipe.cp_inner = inner;
  return c;
}

TEST(Feasibility, AllToAllsDivideTheHeadsOfATensorRank) {
  const std::string rule =
      "all-to-all context parallelism needs query and key-value heads per tensor rank that its group divides";
  const ModelSpec grouped = support::tiny_llama();  // four key-value heads
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::ulysses), grouped), "");
  EXPECT_EQ(rule_of(shared_by(8, ContextComm::ulysses), grouped), rule);
  EXPECT_EQ(rule_of(shared_by(8, ContextComm::hybrid, 4), grouped), "");
  EXPECT_EQ(rule_of(shared_by(8, ContextComm::hybrid), grouped), rule);  // a node of eight
  EXPECT_EQ(rule_of(shared_by(8, ContextComm::hybrid, 3), grouped),
            "cp_inner must divide the context degree");
}

// Transformer Engine refuses windows in rings, and learned sinks in all but all-to-alls.
TEST(Feasibility, WindowsAndSinksDoNotGoRoundARing) {
  ModelSpec m = support::tiny_llama();
  m.local = {.span = 256};
  const char* window = "windowed attention cannot go round a ring; use all_gather or a2a";
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::ring), m), window);
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::hybrid, 2), m), window);
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::all_gather), m), "");
  m.local.chunked = true;
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::all_gather), m),
            "chunked attention needs the whole sequence on a rank; use a2a");
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::ulysses), m), "");
  m.local.span = 1024;  // as long as the sequence: no window at all
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::ring), m), "");
  m.attention_sinks = true;
  EXPECT_EQ(rule_of(shared_by(4, ContextComm::ring), m),
            "attention sinks under context parallelism need a2a");
}

TEST(Feasibility, FusedExpertsNeedBlackwellAndItsFormat) {
  const ModelSpec m = support::tiny_mixture();
  TrainingConfig c = with({.data = 8, .expert = 8});
  EXPECT_EQ(rule_of(c, m), "");
  c.recipe.fused_grouped_mlp = true;
  EXPECT_EQ(rule_of(c, m), "fused experts need a Blackwell GPU");
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "expert parallelism needs a mixture-of-experts model");
}

TEST(Feasibility, JointProductsAreRotatedWithoutNorms) {
  ModelSpec m = support::tiny_llama();
  TrainingConfig c = with({});
  c.recipe.fused_qkv_rope = true;
  EXPECT_EQ(rule_of(c, m), "");
  m.query_key_norm = true;
  EXPECT_EQ(
      rule_of(c, m),
      "a joint product is rotated where all layers rotate, by angles alone, queries and keys without norms");
  m.query_key_norm = false, m.positions = Positions::learned;
  EXPECT_NE(rule_of(c, m), "");
}

TEST(Feasibility, MambaHeadsAndGroupsAreSplitWhole) {
  ModelSpec m = support::tiny_llama();
  m.mamba = {.heads = 8, .head_dim = 64, .groups = 2, .state = 16};
  m.layer_pattern = "M*M-M*M-";
  EXPECT_EQ(rule_of(with({.tensor = 2}), m), "");
  EXPECT_EQ(rule_of(with({.tensor = 4}), m), "tensor degree must divide the Mamba groups");
  EXPECT_EQ(rule_of(with({.context = 8}), m), "");  // groups are repeated
  EXPECT_EQ(rule_of(with({.tensor = 2, .context = 8}), m),
            "tensor times context degree must divide the Mamba heads");
}

TEST(Feasibility, ShardGroupsDivideTheDataParallelRanks) {
  TrainingConfig c = with({.data = 8});
  c.zero = ZeroStage::parameters;
  c.zero_group = 3;
  EXPECT_EQ(rule_of(c), "shard groups must divide the data-parallel ranks");
  c.zero_group = 4;
  EXPECT_EQ(rule_of(c), "");
}

TEST(Feasibility, TheClusterMustBeLargeEnoughAndNodesFull) {
  machine::ClusterSpec cluster = support::eight_gpu_nodes();
  cluster.nodes = 1;
  EXPECT_EQ(rule_of(with({.tensor = 8, .pipeline = 2}), support::tiny_gpt(), cluster),
            "the cluster has fewer GPUs");
  EXPECT_EQ(rule_of(with({.tensor = 4, .pipeline = 3})), "GPUs must fill whole nodes");
}

TEST(Feasibility, AGpuWithoutThePrecisionIsRefused) {
  TrainingConfig c = with({.data = 8});
  c.precision = Precision::fp8;
  EXPECT_EQ(rule_of(c), "the GPU has no such precision");
}

std::string rule_on_blackwell(const TrainingConfig& c, const ModelSpec& m = support::tiny_gpt()) {
  machine::GpuSpec gpu = support::an_a100();
  gpu.compute_capability = 100;
  for (FlopsPerSecond& peak : gpu.peak) peak = FlopsPerSecond(1e15);
  return first_broken_rule({c, m, support::plain_framework(), support::eight_gpu_nodes(), gpu}).text;
}

TEST(Feasibility, NarrowProductsNeedWholeBlocks) {
  for (const Precision precision : {Precision::fp8, Precision::mxfp8, Precision::nvfp4}) {
    TrainingConfig c = with({.data = 8});
    c.precision = precision;
    EXPECT_EQ(rule_on_blackwell(c), "");
    ModelSpec odd = support::tiny_gpt();
    odd.ffn_hidden = 4104;
    EXPECT_EQ(rule_on_blackwell(c, odd), "8-bit products need widths in whole blocks on every tensor rank");
    c.batch.sequence_tokens = 1020;
    EXPECT_EQ(rule_on_blackwell(c), "8-bit products need tokens in whole blocks on every rank");
  }
}

TEST(Feasibility, GraphsOfModulesNeedWhatTheyHoldInPlace) {
  TrainingConfig c = with({.data = 8});
  c.recipe.cuda_graph_modules = static_cast<std::int32_t>(GraphModule::attn);
  EXPECT_EQ(rule_of(c), "");
  c.recipe.cuda_graph_modules = static_cast<std::int32_t>(GraphModule::moe_preprocess);
  EXPECT_EQ(rule_of(c), "a dispatcher's preparation is captured with the router before it");
  c.recipe.cuda_graph_modules |= static_cast<std::int32_t>(GraphModule::moe_router);
  EXPECT_EQ(rule_of(c), "a router can be captured where there are experts");
  EXPECT_EQ(rule_of(c, support::tiny_mixture()), "");
  c.recompute = Recompute::selective;
  c.recipe.recompute_modules = static_cast<std::int32_t>(Module::moe);
  EXPECT_EQ(rule_of(c, support::tiny_mixture()),
            "the recomputation of a mixture would begin before the graph of its router and end behind it");
  c.recompute = Recompute::full;
  EXPECT_EQ(rule_of(c), "CUDA graphs of parts of a layer do not go with the recomputation of all of it");
  c.recompute = Recompute::none;
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(rule_of(c), "CUDA graphs of parts of a layer need weights that stay in place");
}

TEST(Feasibility, GraphsNeedFixedShapesAndPlaces) {
  TrainingConfig c = with({.data = 8});
  c.recipe.cuda_graphs = true;
  EXPECT_EQ(rule_of(c), "");
  EXPECT_EQ(rule_of(c, support::tiny_mixture()),
            "");  // graphs of the iteration hold buffers for dropless experts
  c.recompute = Recompute::full;
  EXPECT_EQ(rule_of(c), "CUDA graphs of a layer cannot hold its full recomputation");
  c.recompute = Recompute::none;
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(rule_of(c), "CUDA graphs of a layer need weights that stay in place");
}

TEST(Feasibility, MoreChunksThanLayersAreRefused) {
  EXPECT_EQ(rule_of(with({.tensor = 1, .pipeline = 4, .virtual_stages = 3})),
            "more pipeline chunks than layers");
}

TEST(Feasibility, AChunkMustHoldTheLayersItRecomputes) {
  TrainingConfig c = with({.pipeline = 2});  // chunks of four layers
  c.recipe.recompute_layers = 5;
  EXPECT_EQ(rule_of(c), "");  // of full recomputation alone
  c.recompute = Recompute::full;
  c.recipe.recompute_layers = 4;
  EXPECT_EQ(rule_of(c), "");
  c.recipe.recompute_layers = 5;
  EXPECT_EQ(rule_of(c), "more recomputed layers than a pipeline chunk holds");
  c.recipe.recompute_layers = 2;
  c.degrees = {.pipeline = 2, .data = 2};
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(rule_of(c), "units of several recomputed layers do not come with sharded weights (ZeRO-3)");
  for (const RecomputeMethod method : {RecomputeMethod::block, RecomputeMethod::every}) {
    c.recipe.recompute_method = method;
    EXPECT_EQ(rule_of(c), "");
  }
}

TEST(Feasibility, EightBitAttentionIsFusedAndItsKeysAreNotGathered) {
  TrainingConfig c = with({.context = 2});
  c.precision = machine::Precision::fp8;
  c.recipe.fp8_attention = true;
  EXPECT_EQ(rule_on_blackwell(c), "");
  c.recipe.cp_comm = ContextComm::all_gather;
  EXPECT_EQ(rule_on_blackwell(c), "attention in 8 bit does not come with gathered keys and values");
  c.precision = machine::Precision::bf16;  // where the choice says nothing
  EXPECT_EQ(rule_on_blackwell(c), "");
  c = with({});
  c.precision = machine::Precision::fp8;
  c.recipe.fp8_attention = true, c.flash_attention = false;
  EXPECT_EQ(rule_on_blackwell(c), "attention in 8 bit needs fused attention");
}

TEST(Feasibility, RecomputedModulesMustBeThere) {
  TrainingConfig c = with({});
  c.recompute = Recompute::selective;
  const auto selecting = [&](Module module) {
    c.recipe.recompute_modules = static_cast<std::int32_t>(module);
    return c;
  };
  EXPECT_EQ(rule_of(selecting(Module::mla_up_proj)),
            "recomputing latent up-projections needs latent attention");
  TrainingConfig beside = selecting(Module::shared_experts);
  beside.degrees = {.data = 8, .expert = 8};
  beside.recipe.overlaps_shared_experts = true;
  EXPECT_EQ(rule_of(beside, support::tiny_mixture()),
            "shared experts beside the all-to-all cannot be recomputed by themselves");
  EXPECT_EQ(rule_of(selecting(Module::shared_experts), support::tiny_mixture()), "");
  EXPECT_EQ(rule_of(selecting(Module::layernorm)), "");
}

TEST(Feasibility, MultiTokenPredictionNeedsRotaryPositions) {
  TrainingConfig c = with({});
  c.recipe.mtp_layers = 1;
  EXPECT_EQ(rule_of(c), "multi-token prediction needs rotary positions");
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "");
  c.degrees.data = 2;
  c.zero = ZeroStage::parameters;
  EXPECT_EQ(rule_of(c, support::tiny_llama()),
            "multi-token prediction with sharded weights (ZeRO-3) is not simulated yet");
  c.zero = ZeroStage::none;
  c.recompute = Recompute::full;
  c.recipe.recompute_layers = 2;
  EXPECT_EQ(rule_of(c, support::tiny_llama()),
            "units of several recomputed layers do not come with multi-token prediction");
}

TEST(Feasibility, DocumentsArePackedForFusedAttentionOnWholeSequences) {
  TrainingConfig c = with({.data = 2});
  c.recipe.packed_tokens = 128;
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "");
  c.flash_attention = false;
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "packed documents need fused attention");
  c.flash_attention = true;
  c.degrees = {.context = 2};
  EXPECT_EQ(rule_of(c, support::tiny_llama()),
            "packed documents under context parallelism need gathered keys (cp_comm = \"all_gather\")");
  c.recipe.cp_comm = ContextComm::all_gather;
  EXPECT_EQ(rule_of(c, support::tiny_llama()), "");
}

TEST(Feasibility, ExpertsLoadsVaryAsFarAsTokensGo) {
  TrainingConfig c = with({.data = 8, .expert = 8});
  c.recipe.imbalance_permille = 500;
  EXPECT_EQ(rule_of(c, support::tiny_mixture()), "");
  c.recipe.imbalance_permille = 5000;
  EXPECT_EQ(rule_of(c, support::tiny_mixture()), "experts' loads cannot vary that much");
}

}  // namespace
}  // namespace echo::training
