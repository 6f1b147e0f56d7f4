// Hand-counted lists of what backward computes again, and their arithmetic in closed form.
#include "workload/layer/recompute.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/at.hpp"
#include "tests/support/traced_workload.hpp"

namespace echo::workload {
namespace {

using ops::KernelKey;
using ops::KernelKind;
using support::for_every_op;
using support::traced;
using training::Module;
using training::Recompute;
using training::RecomputeMethod;
using training::TrainingConfig;

// 1024 tokens of 1024 channels; queries 1024 wide, keys and values 256 each, net 2816, SwiGLU.
training::ModelSpec eight_layers() { return support::tiny_llama(); }

training::ModelSpec latent_mixture() {
  training::ModelSpec m = support::tiny_mixture();
  m.kv_heads = m.heads;
  m.latent = {.query_rank = 384, .key_value_rank = 128, .nope_dim = 64, .rope_dim = 32, .value_dim = 64};
  return m;
}

TrainingConfig recomputing(Recompute recompute, training::Degrees degrees = {}) {
  TrainingConfig c = support::a_config(degrees);
  c.recompute = recompute;
  c.sequence_parallel = degrees.tensor > 1;
  return c;
}

TrainingConfig selecting(Module module, training::Degrees degrees = {}) {
  TrainingConfig c = recomputing(Recompute::selective, degrees);
  c.recipe.recompute_modules = static_cast<std::int32_t>(module);
  return c;
}

training::FrameworkSpec native_checkpoints() {
  training::FrameworkSpec f = support::plain_framework();
  f.recompute_stops_early = f.keeps_gathered_inputs = true;
  f.gathers_inputs_again = false;
  return f;
}

// Recomputed kernels of all layers by kind, in one microbatch's backward.
std::map<KernelKind, int> recomputed(const Workload& w) {
  std::map<KernelKind, int> counts;
  for_every_op(w, w.backward, [&](int count, Lane, TimeCategory part, std::size_t work) {
    if (part == TimeCategory::recompute) counts[w.kernels[work].kind] += count;
  });
  return counts;
}

double recomputed_flops(const Workload& w) {
  double sum = 0.0;
  for_every_op(w, w.backward, [&](int count, Lane, TimeCategory part, std::size_t work) {
    if (part == TimeCategory::recompute && w.kernels[work].kind == KernelKind::gemm)
      sum += count * ops::flops_of(w.kernels[work]).value;
  });
  return sum;
}

double forward_flops(const Workload& w) {
  double sum = 0.0;
  for_every_op(w, w.forward, [&](int count, Lane lane, TimeCategory, std::size_t work) {
    if (lane == Lane::compute && w.kernels[work].kind == KernelKind::gemm)
      sum += count * ops::flops_of(w.kernels[work]).value;
  });
  return sum;
}

int transfers(const Workload& w, Lane wanted) {
  int count = 0;
  for_every_op(w, w.backward,
               [&](int runs, Lane lane, TimeCategory, std::size_t) { count += lane == wanted ? runs : 0; });
  return count;
}

double products(double columns) { return 2.0 * 1024 * 1024 * columns; }  // of all tokens with [1024, columns]

TEST(Recompute, PerOpFormsEverySecondProductAndAllThatIsCheap) {
  const Workload w = traced(recomputing(Recompute::per_op), eight_layers(), native_checkpoints());
  // Keys' product, output projection and the gate; of the attention half a norm, positions and the sum.
  const std::map<KernelKind, int> expected{{KernelKind::gemm, 8 * 3},
                                           {KernelKind::norm_forward, 8 * 2},
                                           {KernelKind::rope, 8},
                                           {KernelKind::residual_forward, 8},
                                           {KernelKind::activation_forward, 8}};
  EXPECT_EQ(recomputed(w), expected);
  EXPECT_DOUBLE_EQ(recomputed_flops(w), 8 * products(256 + 1024 + 2816));
}

TEST(Recompute, PerOpKeepsNo8BitProduct) {
  TrainingConfig c = recomputing(Recompute::per_op);
  c.precision = machine::Precision::fp8;
  const Workload w = traced(c, eight_layers(), native_checkpoints());
  EXPECT_DOUBLE_EQ(recomputed_flops(w), 8 * products(1024 + 2 * 256 + 1024 + 2 * 2816));
  EXPECT_EQ(recomputed(w).count(KernelKind::attention_forward), 0U);
}

TEST(Recompute, PerOpKeepsReduceScattersAndFormsGathersOnce) {
  const training::Degrees two{.tensor = 2};
  const Workload none = traced(recomputing(Recompute::none, two), eight_layers(), native_checkpoints());
  const Workload some = traced(recomputing(Recompute::per_op, two), eight_layers(), native_checkpoints());
  EXPECT_EQ(transfers(some, Lane::tensor) - transfers(none, Lane::tensor), 8 * 2);
}

TEST(Recompute, PerOpOfAMixtureKeepsWhatCameOverTheNetwork) {
  const training::ModelSpec m = latent_mixture();
  const TrainingConfig c = recomputing(Recompute::per_op, {.data = 8, .expert = 8});
  const Workload w = traced(c, m, native_checkpoints());
  const Workload none = traced(recomputing(Recompute::none, c.degrees), m, native_checkpoints());
  EXPECT_EQ(transfers(w, Lane::expert), transfers(none, Lane::expert));
  // Products one by one: queries down (kept) and up, keys down (kept) and up, output (kept), then the net:
  // gate, up (kept), and of shared experts down; the router's and the grouped ones.
  const double attention = products(0) + 2.0 * 1024 * 384 * (16 * 96) + 2.0 * 1024 * 128 * (16 * 128);
  const double dense = products(2816);
  const double shared = 2 * products(1536), router = products(16);
  const double experts = 2.0 * 1024 * 2 * 1024 * 768 * 3;  // two copies of each token, three matrices
  EXPECT_DOUBLE_EQ(recomputed_flops(w), 8 * attention + dense + 7 * (shared + router + experts));
}

TEST(Recompute, FullRepeatsTheForwardWithItsTransfers) {
  const training::Degrees two{.tensor = 2};
  const Workload none = traced(recomputing(Recompute::none, two), eight_layers());
  const Workload full = traced(recomputing(Recompute::full, two), eight_layers());
  EXPECT_EQ(transfers(full, Lane::tensor) - transfers(none, Lane::tensor),
            8 * 4);  // two gathers, two scatters
  EXPECT_DOUBLE_EQ(recomputed_flops(full), 8 * products(1536 + 1024 + 3 * 2816) / 2);
  EXPECT_EQ(recomputed(full)[KernelKind::attention_forward], 8);
}

TEST(Recompute, PyTorchsOwnCheckpointsStopBeforeTheLastProduct) {
  const training::Degrees two{.tensor = 2};
  const training::FrameworkSpec f = native_checkpoints();
  const Workload none = traced(recomputing(Recompute::none, two), eight_layers(), f);
  const Workload full = traced(recomputing(Recompute::full, two), eight_layers(), f);
  EXPECT_DOUBLE_EQ(recomputed_flops(full), 8 * products(1536 + 1024 + 2 * 2816) / 2);
  EXPECT_EQ(transfers(full, Lane::tensor) - transfers(none, Lane::tensor), 8 * 3);
  EXPECT_EQ(recomputed(full)[KernelKind::residual_forward], 8);  // the first half's alone
}

// Three of the four layers of each chunk, whatever kinds they are.
TEST(Recompute, BlocksRecomputeTheFirstLayersOfEachChunk) {
  for (const training::ModelSpec& m : {support::tiny_mixture(), eight_layers()})
    for (const Backward backward : {Backward::whole, Backward::split})
      for (const std::int32_t layers : {1, 3, 4}) {
        TrainingConfig c = recomputing(Recompute::full, {.pipeline = 2});
        c.recipe.recompute_method = RecomputeMethod::block;
        c.recipe.recompute_layers = layers;
        const Workload w = traced(c, m, support::plain_framework(), backward);
        EXPECT_EQ(recomputed(w)[KernelKind::attention_forward], 2 * layers);
        // The mixture's first layer is dense.
        EXPECT_EQ(recomputed(w)[KernelKind::router_forward], m.has_experts() ? 2 * layers - 1 : 0);
        std::map<KernelKind, int> late;
        for_every_op(w, w.weight_gradients, [&](int, Lane, TimeCategory part, std::size_t work) {
          if (part == TimeCategory::recompute) ++late[w.kernels[work].kind];
        });
        EXPECT_TRUE(late.empty());
      }
}

TEST(Recompute, BlocksOfAllLayersAreFullRecomputation) {
  const training::ModelSpec m = support::tiny_mixture();
  const TrainingConfig full = recomputing(Recompute::full, {.pipeline = 2, .data = 8, .expert = 8});
  TrainingConfig blocks = full;
  blocks.recipe.recompute_method = RecomputeMethod::block;
  for (const std::int32_t layers : {0, 4}) {
    blocks.recipe.recompute_layers = layers;
    EXPECT_EQ(recomputed(traced(blocks, m)), recomputed(traced(full, m)));
  }
}

// torchtitan's selective_ac_option = "2" or "3".
TEST(Recompute, EveryNthLayerIsRecomputed) {
  for (const std::int32_t n : {1, 2, 3, 8}) {
    TrainingConfig c = recomputing(Recompute::full);
    c.recipe.recompute_method = RecomputeMethod::every;
    c.recipe.recompute_layers = n;
    EXPECT_EQ(recomputed(traced(c, eight_layers()))[KernelKind::attention_forward], 8 / n) << n;
  }
}

// cuDNN's kernel was not among the operators whose outputs torchtitan kept.
TEST(Recompute, PerOpRunsTheGpusOwnAttentionAgainWhereTheFrameworkForgetsIt) {
  training::FrameworkSpec f = native_checkpoints();
  f.attention_kernel = ops::AttentionKernel::flash_2, f.native_attention_from = 100;
  f.repeats_native_attention = true;
  const auto attentions = [&](std::int32_t capability) {
    Workload w;
    const TrainingConfig c = recomputing(Recompute::per_op);
    const training::ModelSpec m = eight_layers();
    generate_workload(c, m, f, support::eight_gpu_nodes(), support::layout_of(c, m), Backward::whole, w,
                      capability);
    return recomputed(w)[KernelKind::attention_forward];
  };
  EXPECT_EQ(attentions(90), 0);
  EXPECT_EQ(attentions(100), 8);
  f.repeats_native_attention = false;
  EXPECT_EQ(attentions(100), 0);
}

TEST(Recompute, ChunksThatCarryGradientsMixRecomputedAndKeptLayersToo) {
  for (const training::ZeroStage zero : {training::ZeroStage::optimizer, training::ZeroStage::parameters}) {
    TrainingConfig c = recomputing(Recompute::full, {.data = 4});
    c.zero = zero;
    c.overlap.grad_reduce = true;
    c.recipe.recompute_method = RecomputeMethod::block;
    c.recipe.recompute_layers = 3;
    const Workload w = traced(c, eight_layers());
    const OpGraph& block = w.blocks[at(w.last_backward[0])];
    int attention = 0, backward_so_far = 0, first_recomputed = -1;
    for (std::size_t op = 0; op < block.lane.size(); ++op) {
      if (block.lane[op] != Lane::compute) continue;
      const KernelKind kind = w.kernels[at(block.work[op])].kind;
      backward_so_far += kind == KernelKind::attention_backward;
      if (kind != KernelKind::attention_forward) continue;
      EXPECT_EQ(block.part[op], TimeCategory::recompute);
      if (first_recomputed < 0) first_recomputed = backward_so_far;
      ++attention;
    }
    EXPECT_EQ(attention, 3);
    EXPECT_EQ(first_recomputed, 5);  // the last five keep all
  }
}

TEST(Recompute, ModulesAreRepeatedAlone) {
  const training::ModelSpec m = latent_mixture();  // one dense layer, seven mixtures
  const training::Degrees eight{.data = 8, .expert = 8};
  const auto of = [&](Module module) { return traced(selecting(module, eight), m); };
  using Counts = std::map<KernelKind, int>;
  EXPECT_EQ(recomputed(of(Module::core_attn)), (Counts{{KernelKind::attention_forward, 8}}));
  EXPECT_EQ(recomputed(of(Module::layernorm)), (Counts{{KernelKind::norm_forward, 8 + 7}}));
  EXPECT_EQ(recomputed(of(Module::moe_act)), (Counts{{KernelKind::activation_forward, 7}}));
  EXPECT_EQ(recomputed(of(Module::mla_up_proj)),
            (Counts{{KernelKind::gemm, 8 * 2}, {KernelKind::rope, 8}, {KernelKind::elementwise, 8}}));
  EXPECT_EQ(recomputed(of(Module::mlp)),
            (Counts{{KernelKind::gemm, 2}, {KernelKind::activation_forward, 1}}));
  EXPECT_EQ(recomputed(of(Module::shared_experts)),
            (Counts{{KernelKind::gemm, 7 * 2}, {KernelKind::activation_forward, 7}}));
  EXPECT_EQ(recomputed(of(Module::moe)), (Counts{{KernelKind::gemm, 7 * 5},
                                                 {KernelKind::router_forward, 7},
                                                 {KernelKind::permute, 7},
                                                 {KernelKind::unpermute, 7},
                                                 {KernelKind::elementwise, 7 * 3},
                                                 {KernelKind::activation_forward, 7 * 2}}));
  const Workload none = traced(recomputing(Recompute::none, eight), m);
  // Counts, dispatch and combine once more.
  EXPECT_EQ(transfers(of(Module::moe), Lane::expert) - transfers(none, Lane::expert), 7 * 3);
  EXPECT_EQ(transfers(of(Module::moe_act), Lane::expert), transfers(none, Lane::expert));
}

TEST(Recompute, WholeModulesRepeatTheirTensorTransfers) {
  const training::Degrees two{.tensor = 2};
  const Workload none = traced(recomputing(Recompute::none, two), eight_layers());
  const Workload mlp = traced(selecting(Module::mlp, two), eight_layers());
  EXPECT_EQ(transfers(mlp, Lane::tensor) - transfers(none, Lane::tensor), 8 * 2);
  EXPECT_DOUBLE_EQ(recomputed_flops(mlp), 8 * products(3 * 2816) / 2);
}

// A dense model's modules together with attention's core leave little: projections and norms.
TEST(Recompute, FullIsTheForwardOfAllLayers) {
  for (const training::ModelSpec& m : {eight_layers(), latent_mixture()}) {
    const TrainingConfig c = recomputing(Recompute::full);
    const Workload w = traced(c, m);
    training::ModelSpec no_head = m;
    const double head =
        products(static_cast<double>(training::padded_vocabulary(c, no_head, support::plain_framework())));
    EXPECT_DOUBLE_EQ(recomputed_flops(w), forward_flops(w) - head);
  }
}

// Passes of whole blocks take the number of layers, those that carry traffic ask layer by layer.
TEST(Recomputation, OfSingleLayersAddsUpToThatOfTheChunk) {
  for (const auto method : {RecomputeMethod::uniform, RecomputeMethod::block, RecomputeMethod::every})
    for (std::int32_t n = 0; n <= 6; ++n)
      for (std::int32_t layers = 1; layers <= 13; ++layers) {
        TrainingConfig c = recomputing(Recompute::full);
        c.recipe.recompute_method = method, c.recipe.recompute_layers = n;
        std::int32_t again = 0;
        for (std::int32_t i = 0; i < layers; ++i) again += recompute_of(c, i) == Recompute::full ? 1 : 0;
        EXPECT_EQ(again, recomputed_layers(c, layers))
            << static_cast<int>(method) << " " << n << " " << layers;
      }
}

TEST(Recomputation, OfEveryThirdLayerIsThatOfTheLastOfThree) {
  TrainingConfig c = recomputing(Recompute::full);
  c.recipe.recompute_method = RecomputeMethod::every, c.recipe.recompute_layers = 3;
  std::string recomputed;
  for (std::int32_t i = 0; i < 7; ++i) recomputed += recompute_of(c, i) == Recompute::full ? 'x' : '-';
  EXPECT_EQ(recomputed, "--x--x-");
}

}  // namespace
}  // namespace echo::workload
