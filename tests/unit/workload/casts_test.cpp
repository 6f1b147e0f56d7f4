// Casts of one layer, counted by hand: which tensors, which kernels, which copies.
#include "workload/layer/casts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "workload/generate_workload.hpp"

namespace echo::workload {
namespace {

using machine::Precision;
using ops::KernelKind;
using training::Fp8Recipe;
using training::TrainingConfig;

constexpr std::int32_t hopper = 90, blackwell = 100;

Workload traced(const TrainingConfig& c, std::int32_t capability, const training::ModelSpec& m) {
  Workload out;
  generate_workload(c, m, support::plain_framework(), support::eight_gpu_nodes(), support::layout_of(c, m),
                    Backward::whole, out, capability);
  return out;
}

TrainingConfig in(Precision precision, Fp8Recipe recipe = Fp8Recipe::delayed,
                  training::Degrees degrees = {}) {
  TrainingConfig c = support::a_config(degrees);
  c.precision = precision;
  c.recipe.fp8_recipe = recipe;
  c.sequence_parallel = degrees.tensor > 1;
  return c;
}

struct Casts {
  int magnitudes = 0, casts = 0, transposes = 0, agreements = 0;
  std::int64_t written = 0;  // elements times copies
};

// Of the block that holds the layer's pass; blocks: embedding, layer, head forward; head, layer, embedding
// backward.
Casts casts_of(const Workload& w, BlockId id) {
  const OpGraph& block = w.blocks[at(id)];
  Casts out;
  for (std::size_t op = 0; op < block.lane.size(); ++op) {
    const std::size_t work = at(block.work[op]);
    if (block.lane[op] == Lane::tensor) {
      out.agreements += w.collectives[work - w.kernels.size()].payload == Bytes(4);
      continue;
    }
    if (block.lane[op] != Lane::compute) continue;
    const ops::KernelKey& key = w.kernels[work];
    out.magnitudes += key.kind == KernelKind::amax;
    out.casts += key.kind == KernelKind::quantize;
    out.transposes += key.kind == KernelKind::elementwise;
    if (key.kind == KernelKind::quantize) out.written += std::int64_t{key.m} * key.n * key.groups;
  }
  return out;
}
Casts forward(const Workload& w) { return casts_of(w, BlockId(1)); }
Casts backward(const Workload& w) { return casts_of(w, BlockId(4)); }

// tiny_llama: 1024 tokens, hidden 1024, 16 query and 4 key-value heads of 64 (query, key, value 1536), SwiGLU
// 2816.
constexpr std::int64_t tokens = 1024, hidden = 1024, qkv = 1536, ffn = 2816;

TEST(Casts, SixteenBitProductsNeedNone) {
  const Workload w = traced(in(Precision::bf16), hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).casts + forward(w).magnitudes + forward(w).transposes, 0);
  EXPECT_EQ(backward(w).casts + backward(w).magnitudes + backward(w).transposes, 0);
}

// Forward: norms write 8 bit themselves; the context and the activation are cast, each twice. Backward: the
// gradients of all four products are cast twice, and what the two norms wrote is transposed.
TEST(Casts, DelayedScalesOnHopper) {
  const Workload w = traced(in(Precision::fp8), hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).casts, 2);
  EXPECT_EQ(forward(w).magnitudes, 0);
  EXPECT_EQ(forward(w).written, 2 * tokens * (hidden + ffn));
  EXPECT_EQ(backward(w).casts, 4);
  EXPECT_EQ(backward(w).written, 2 * tokens * (hidden + 2 * ffn + hidden + qkv));
  EXPECT_EQ(backward(w).transposes, 2);
}

TEST(Casts, BlackwellNeedsNoTransposedCopies) {
  const Workload w = traced(in(Precision::fp8), blackwell, support::tiny_llama());
  EXPECT_EQ(forward(w).written, tokens * (hidden + ffn));
  EXPECT_EQ(backward(w).written, tokens * (hidden + 2 * ffn + hidden + qkv));
  EXPECT_EQ(backward(w).transposes, 0);
}

// Every product's input and gradient is cast; norms find their own largest magnitude.
TEST(Casts, CurrentScalesFirstFindTheLargestMagnitude) {
  const Workload w = traced(in(Precision::fp8, Fp8Recipe::current), hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).casts, 4);
  EXPECT_EQ(forward(w).magnitudes, 2);
  EXPECT_EQ(forward(w).written, 2 * tokens * (hidden + hidden + hidden + ffn));
  EXPECT_EQ(backward(w).casts, 4);
  EXPECT_EQ(backward(w).magnitudes, 4);
  EXPECT_EQ(backward(w).transposes, 0);  // the forward cast wrote both
}

TEST(Casts, EagerNormsFindNothing) {
  TrainingConfig c = in(Precision::fp8, Fp8Recipe::current);
  c.recipe.kernels = ops::KernelStyle::eager;
  EXPECT_EQ(forward(traced(c, hopper, support::tiny_llama())).magnitudes, 4);
}

TEST(Casts, BlocksAreCastInOnePassAndFourBitsInTwo) {
  for (const Precision precision : {Precision::fp8, Precision::mxfp8, Precision::nvfp4}) {
    const Workload w = traced(in(precision, Fp8Recipe::blockwise), blackwell, support::tiny_llama());
    EXPECT_EQ(forward(w).casts, 4);
    EXPECT_EQ(forward(w).magnitudes, precision == Precision::nvfp4 ? 4 : 0);
    EXPECT_EQ(forward(w).written, 2 * tokens * (hidden + hidden + hidden + ffn));
    EXPECT_EQ(backward(w).transposes, 0);
  }
}

// Both copies from 16 bit, one of them after a search of every column; nothing is left to transpose.
TEST(Casts, RowsAreScaledForEachProduct) {
  const Workload w = traced(in(Precision::fp8, Fp8Recipe::rowwise), hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).casts, 8);
  EXPECT_EQ(forward(w).magnitudes, 4);
  EXPECT_EQ(forward(w).written, 2 * tokens * (hidden + hidden + hidden + ffn));
  EXPECT_EQ(backward(w).casts, 8);
  EXPECT_EQ(backward(w).transposes, 0);
}

// The context and the four gradients are cast as before; the activation and its gradient are written in 8
// bits.
TEST(Casts, AFuserWritesTheActivationInEightBits) {
  TrainingConfig c = in(Precision::fp8);
  c.recipe.op_fuser = true;
  const Workload w = traced(c, blackwell, support::tiny_llama());
  EXPECT_EQ(forward(w).written, tokens * hidden);
  EXPECT_EQ(backward(w).written, tokens * (hidden + hidden + qkv));
  c.precision = Precision::nvfp4;  // whose scales follow a transform
  EXPECT_EQ(forward(traced(c, blackwell, support::tiny_llama())).casts, 4);
  c.precision = Precision::fp8;  // Hopper's products want a transposed copy as well
  EXPECT_EQ(forward(traced(c, hopper, support::tiny_llama())).written, 2 * tokens * (hidden + ffn));
}

TEST(Casts, FrozenWeightsNeedNoSecondCopy) {
  TrainingConfig c = in(Precision::fp8);
  c.recipe.lora_rank = 16, c.recipe.lora_targets = 0;
  Workload w = traced(c, hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).written, tokens * (hidden + ffn));
  EXPECT_EQ(backward(w).written, 2 * tokens * (hidden + 2 * ffn + hidden + qkv));
  c.recipe.op_fuser = true;
  w = traced(c, hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).written, tokens * hidden);
  EXPECT_EQ(backward(w).written, tokens * (hidden + hidden + qkv));
}

// Queries, keys and values before, the context behind; backward the other way round.
TEST(Casts, EightBitAttentionCastsWhatItTakesAndGives) {
  TrainingConfig c = in(Precision::fp8);
  const Workload without = traced(c, blackwell, support::tiny_llama());
  c.recipe.fp8_attention = true;
  const Workload with = traced(c, blackwell, support::tiny_llama());
  EXPECT_EQ(forward(with).written - forward(without).written, tokens * (qkv + hidden));
  EXPECT_EQ(backward(with).written - backward(without).written, tokens * (qkv + hidden));
  const auto operands = [](const Workload& w) {
    for (const ops::KernelKey& key : w.kernels)
      if (key.kind == KernelKind::attention_forward) return key.precision;
    return Precision::fp32;
  };
  EXPECT_EQ(operands(without), Precision::bf16);
  EXPECT_EQ(operands(with), Precision::fp8);
  c.precision = Precision::bf16;  // where it says nothing
  EXPECT_EQ(operands(traced(c, blackwell, support::tiny_llama())), Precision::bf16);
}

std::int64_t gathered(const Workload& w, std::int32_t block_index) {
  const OpGraph& block = w.blocks[at(block_index)];
  std::int64_t bytes = 0;
  for (std::size_t op = 0; op < block.lane.size(); ++op)
    if (block.lane[op] == Lane::tensor) {
      const auto& query = w.collectives[at(block.work[op]) - w.kernels.size()];
      if (query.kind == ops::CollectiveKind::all_gather) bytes += query.payload.value;
    }
  return bytes;
}

// Sequence parallelism: forward gathers two inputs, backward two gradients and the two inputs again.
TEST(Casts, OperandsTravelInTheirFormat) {
  const auto bytes = [](Precision precision, Fp8Recipe recipe, std::int32_t capability) {
    const Workload w = traced(in(precision, recipe, {.tensor = 2}), capability, support::tiny_llama());
    return std::pair(gathered(w, 1), gathered(w, 4));
  };
  constexpr std::int64_t one = tokens * hidden;
  EXPECT_EQ(bytes(Precision::bf16, {}, hopper), std::pair(2 * 2 * one, 4 * 2 * one));
  EXPECT_EQ(bytes(Precision::fp8, Fp8Recipe::delayed, hopper), std::pair(2 * one, 4 * one));
  // Blocks differ by direction: gradients travel in both copies. 1 + 1/32 bytes each.
  EXPECT_EQ(bytes(Precision::mxfp8, {}, blackwell),
            std::pair(2 * one * 33 / 32, (2 + 2 * 2) * one * 33 / 32));
}

TEST(Casts, RanksOfASequenceAgreeOnTheScaleOfItsTensors) {
  const Workload w =
      traced(in(Precision::fp8, Fp8Recipe::current, {.tensor = 2}), hopper, support::tiny_llama());
  EXPECT_EQ(forward(w).agreements, 2);   // inputs of the column-parallel products
  EXPECT_EQ(backward(w).agreements, 2);  // gradients of the row-parallel ones
  EXPECT_EQ(backward(w).transposes, 4);  // of all that was gathered
  const Workload delayed = traced(in(Precision::fp8, {}, {.tensor = 2}), hopper, support::tiny_llama());
  EXPECT_EQ(forward(delayed).agreements + backward(delayed).agreements, 0);
}

// Elements cast (times copies) and read for a magnitude in the tail of the only stage.
std::pair<std::int64_t, std::int64_t> weights_cast(const Workload& w) {
  std::int64_t cast = 0, read = 0;
  for (const WorkRun& run : w.tail.update.row(0)) {
    if (!run.is_kernel) continue;
    const ops::KernelKey& key = w.kernels[at(run.work)];
    if (key.kind == KernelKind::quantize) cast += std::int64_t{key.m} * key.n * key.groups;
    if (key.kind == KernelKind::amax) read += std::int64_t{key.m} * key.n;
  }
  return {cast, read};
}

TEST(WeightCasts, HappenOnceAStepWhateverTheMicrobatches) {
  const training::ModelSpec m = support::tiny_llama();
  const std::int64_t matrices = 8 * (hidden * qkv + hidden * hidden + 3 * hidden * ffn);
  EXPECT_EQ(weights_cast(traced(in(Precision::fp8), hopper, m)), std::pair(2 * matrices, std::int64_t{0}));
  EXPECT_EQ(weights_cast(traced(in(Precision::fp8), blackwell, m)), std::pair(matrices, std::int64_t{0}));
  EXPECT_EQ(weights_cast(traced(in(Precision::fp8, Fp8Recipe::current), hopper, m)),
            std::pair(2 * matrices, matrices));
  EXPECT_EQ(weights_cast(traced(in(Precision::bf16), hopper, m)),
            std::pair(std::int64_t{0}, std::int64_t{0}));
}

TEST(WeightCasts, OfShardedWeightsHappenInEveryPass) {
  TrainingConfig c = in(Precision::fp8, Fp8Recipe::current, {.data = 8});
  c.zero = training::ZeroStage::parameters;
  const training::ModelSpec m = support::tiny_llama();
  const Workload w = traced(c, hopper, m);
  EXPECT_EQ(weights_cast(w), std::pair(std::int64_t{0}, std::int64_t{0}));
  const Casts in_forward = casts_of(w, w.whole_forward.front());
  EXPECT_EQ(in_forward.casts, 8 * (4 + 1));
  EXPECT_EQ(in_forward.magnitudes, 8 * (2 + 1));
}

int scale_updates(const Workload& w) {
  int count = 0;
  for (const WorkRun& run : w.tail.gradients.row(0))
    if (run.part == TimeCategory::other) count += run.count;
  return count;
}

// 32 microbatches of one rank: a kernel after each forward and each backward. Two ranks: an all-reduce
// besides.
TEST(DelayedScales, AreAgreedOnAfterEveryPass) {
  EXPECT_EQ(scale_updates(traced(in(Precision::fp8), hopper, support::tiny_llama())), 2 * 32);
  EXPECT_EQ(scale_updates(traced(in(Precision::fp8, {}, {.data = 2}), hopper, support::tiny_llama())),
            2 * 2 * 16);
  EXPECT_EQ(scale_updates(traced(in(Precision::fp8, Fp8Recipe::current), hopper, support::tiny_llama())), 0);
}

int agreements_on_one_number(const TrainingConfig& c) {
  const Workload w = traced(c, hopper, support::tiny_gpt());
  int count = 0;
  for (const WorkRun& run : w.tail.grad_norm.row(0))
    if (!run.is_kernel) count += run.count;
  return count;
}

TEST(GradientNorm, IsAgreedOnUnlessNothingIsClippedAndFp16LooksForInfinitiesBesides) {
  TrainingConfig c = in(Precision::bf16, {}, {.tensor = 2});
  EXPECT_EQ(agreements_on_one_number(c), 1);
  c.precision = Precision::fp16;
  EXPECT_EQ(agreements_on_one_number(c), 2);
  c.recipe.grad_clip = false;
  EXPECT_EQ(agreements_on_one_number(c), 1);
  c.precision = Precision::bf16;
  EXPECT_EQ(agreements_on_one_number(c), 0);
}

std::pair<std::int32_t, std::int32_t> layer_launches(const training::ModelSpec& m, ops::KernelStyle style) {
  TrainingConfig c = in(Precision::bf16);
  c.recipe.kernels = c.recipe.kernels_rms_rope = style;
  const Workload w = traced(c, hopper, m);
  return {w.blocks[1].launches, w.blocks[4].launches};
}

// Forward: 4 products, attention, 2 norms, rope, activation, 2 residuals. Backward: 8 products, attention in
// 3 kernels, and the same five others.
TEST(Launches, OfALlamaLayer) {
  EXPECT_EQ(layer_launches(support::tiny_llama(), ops::KernelStyle::fused), std::pair(11, 17));
  // An eager RMSNorm is 7 and 12 kernels, rope 8, SwiGLU 2 and 4; a residual without dropout is one.
  EXPECT_EQ(layer_launches(support::tiny_llama(), ops::KernelStyle::eager),
            std::pair(5 + 2 * 7 + 8 + 2 + 2, 11 + 2 * 12 + 8 + 4 + 2));
  // Transformer Engine's rotation knows no factor beside the angles: 8 kernels of PyTorch, not one.
  training::ModelSpec scaled = support::tiny_llama();
  scaled.scaled_positions = true;
  EXPECT_EQ(layer_launches(scaled, ops::KernelStyle::fused), std::pair(10 + 8, 16 + 8));
}

// PyTorch's layer norm is one kernel of its own (counted as 2 and 3 with its casts); bias, dropout and add
// are 3 kernels, backward 2; bias and GELU 2 and 3.
TEST(Launches, OfAnEagerGptLayer) {
  EXPECT_EQ(layer_launches(support::tiny_gpt(), ops::KernelStyle::fused), std::pair(10, 16));
  EXPECT_EQ(layer_launches(support::tiny_gpt(), ops::KernelStyle::eager),
            std::pair(5 + 2 * 2 + 2 + 2 * 3, 11 + 2 * 3 + 3 + 2 * 2));
}

// A graph is one replay per layer and pass; the embedding and the head are still issued kernel by kernel.
TEST(CudaGraphs, ReplaceTheLaunchesOfALayer) {
  TrainingConfig c = in(Precision::bf16, {}, {.tensor = 2});
  const Workload eager = traced(c, hopper, support::tiny_llama());
  c.recipe.cuda_graphs = true;
  const Workload graphed = traced(c, hopper, support::tiny_llama());
  for (const std::int32_t layer : {1, 4}) {
    const OpGraph& block = graphed.blocks[at(layer)];
    EXPECT_EQ(block.graphs, 1);
    EXPECT_EQ(block.launches + block.transfers, 0);
    EXPECT_GT(eager.blocks[at(layer)].launches, 10);
  }
  for (const std::int32_t other : {0, 2, 3, 5}) {
    const std::size_t place = at(other);
    EXPECT_EQ(graphed.blocks[place].graphs, 0);
    EXPECT_EQ(graphed.blocks[place].launches, eager.blocks[place].launches);
  }
}

// Attention, or the net, is one replay; both of a layer are one, and what is left is issued as before.
TEST(CudaGraphs, OfModulesReplaceTheirLaunchesAndAdjoiningOnesAreOne) {
  using training::GraphModule;
  const auto issued = [](std::int32_t modules) {
    TrainingConfig c = in(Precision::bf16, {}, {.tensor = 2});
    c.recipe.cuda_graph_modules = modules;
    const Workload w = traced(c, hopper, support::tiny_llama());
    std::array<std::array<std::int32_t, 2>, 2> of_passes{};
    for (const std::size_t pass : {0, 1}) {
      const OpGraph& block = w.blocks[pass == 0 ? 1 : 4];
      of_passes[pass] = {block.launches, block.graphs};
    }
    return of_passes;
  };
  const std::int32_t attention = static_cast<std::int32_t>(GraphModule::attn),
                     net = static_cast<std::int32_t>(GraphModule::mlp);
  const auto none = issued(0), first = issued(attention), second = issued(net),
             both = issued(attention | net);
  for (const std::size_t pass : {0, 1}) {
    EXPECT_EQ(none[pass][1], 0);
    EXPECT_EQ(first[pass][1], 1);
    EXPECT_EQ(second[pass][1], 1);
    EXPECT_EQ(both[pass][1], 1);
    EXPECT_GT(first[pass][0], 0);
    EXPECT_GT(second[pass][0], 0);
    EXPECT_EQ(first[pass][0] + second[pass][0], none[pass][0]);
    EXPECT_EQ(both[pass][0], 0);
  }
}

// Megatron-LM's own output layer is 16-bit; Transformer Engine's multiplies mxfp8, and casts what it
// multiplies.
TEST(Casts, OfTheOutputLayerOnlyWhereItIsIn8Bit) {
  TrainingConfig c = in(Precision::mxfp8, {});
  const auto head_products = [&](Precision of) {
    const training::ModelSpec m = support::tiny_llama();
    const Workload w = traced(c, blackwell, m);
    return std::count_if(w.kernels.begin(), w.kernels.end(), [&](const ops::KernelKey& k) {
      return k.kind == KernelKind::gemm && k.precision == of && std::max({k.m, k.n, k.k}) >= m.vocab;
    });
  };
  EXPECT_EQ(head_products(Precision::bf16), 3);
  EXPECT_EQ(head_products(Precision::mxfp8), 0);
  c.recipe.fp8_output_layer = true;
  EXPECT_EQ(head_products(Precision::bf16), 0);
  EXPECT_EQ(head_products(Precision::mxfp8), 3);
}

TEST(Casts, ScalesOfRowsTravelAs16Bit) {
  const training::ModelSpec m = support::tiny_llama();
  const auto bytes = [&](Precision precision) {
    return gathered(traced(in(precision, Fp8Recipe::rowwise, {.tensor = 2}), hopper, m), 1);
  };
  EXPECT_EQ(bytes(Precision::fp8), bytes(Precision::bf16));
}

}  // namespace
}  // namespace echo::workload
