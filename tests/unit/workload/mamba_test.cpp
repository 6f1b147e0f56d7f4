// Layers of hybrid models, op by op.
#include <gtest/gtest.h>

#include "tests/unit/workload/op_list.hpp"
#include "workload/layer/mamba.hpp"

namespace echo::workload {
namespace {

using training::LayerKind, training::Mixer, training::Net;
using Lines = std::vector<std::string>;

// Hidden 1024: 32 heads of 64 channels (2048), 8 groups, state 128: z 2048, x 2048, B and C 1024 each, 32
// steps.
training::ModelSpec tiny_hybrid() {
  training::ModelSpec m = support::tiny_llama();
  m.name = "tiny-hybrid";
  m.gated_ffn = false;
  m.positions = training::Positions::none;
  m.mamba = {.heads = 32, .head_dim = 64, .groups = 8, .state = 128};
  m.layer_pattern = "M-M*-M-E";
  return m;
}

Lines forward(const Setting& at, LayerKind kind) {
  return lines_of(traced_block([&](Builder& b) { layer_forward(b, at.x, kind, TimeCategory::forward); }));
}
Lines backward(const Setting& at, LayerKind kind) {
  return lines_of(traced_block([&](Builder& b) { layer_backward(b, at.x, kind, at.config.recompute); }));
}

TEST(MambaLayer, IsAProjectionAConvolutionAScanANormAndAProjection) {
  const Setting at(support::a_config({.tensor = 2}), tiny_hybrid());
  const LayerKind mamba{Mixer::mamba, Net::none};
  const std::string sum = "other all_reduce " + std::to_string(1024 * 1024 * 2) + " over 2";
  EXPECT_EQ(forward(at, mamba), (Lines{"norm 1024x1024", "gemm 1024x3088x1024", "convolution 1024x2048",
                                       "scan 1024x64 of 16/4 span 128", "norm 1024x1024",
                                       "gemm 1024x1024x1024", sum, "residual 1024x1024"}));
  EXPECT_EQ(backward(at, mamba),
            (Lines{"residual' 1024x1024", "gemm 1024x1024x1024", "gemm 1024x1024x1024", "norm' 1024x1024",
                   "convolution 1024x2048", "scan' 1024x64 of 16/4 span 128", "convolution' 1024x2048",
                   "gemm 1024x1024x3088", sum, "gemm 1024x3088x1024", "norm' 1024x1024"}));
}

TEST(MambaLayer, ScansAPartOfTheHeadsOverTheWholeSequenceUnderContextParallelism) {
  const Setting at(support::a_config({.context = 4}), tiny_hybrid());
  const auto all_to_all = [](int width) {
    return "cp all_to_all " + std::to_string(256 * width * 2) + " over 4";
  };
  EXPECT_EQ(forward(at, {Mixer::mamba, Net::none}),
            (Lines{"norm 256x1024",         "gemm 256x6176x1024",  //
                   "copy 256x2048",         all_to_all(2048),
                   "copy 256x2048",         all_to_all(2048),  // z, x
                   "copy 256x1024",         all_to_all(1024),
                   "copy 256x1024",         all_to_all(1024),  // B, C
                   "copy 256x32",           all_to_all(32),
                   "copy 256x6176",         "copy 256x6176",                 //
                   "convolution 1024x1024", "scan 1024x64 of 8/2 span 128",  //
                   "copy 256x2048",         all_to_all(2048),
                   "copy 256x2048",  //
                   "norm 256x2048",         "gemm 256x1024x2048",
                   "residual 256x1024"}));
}

TEST(MambaLayer, RepeatsGroupsThatAreFewerThanRanks) {
  training::ModelSpec m = tiny_hybrid();
  m.mamba.groups = 2;
  const Setting at(support::a_config({.context = 4}), m);
  const Lines lines = forward(at, {Mixer::mamba, Net::none});
  EXPECT_EQ(lines[6], "copy 256x512");  // B: four copies of 128 numbers
  EXPECT_EQ(lines[15], "scan 1024x64 of 8 span 128");
}

bool is_product(ops::KernelKind kind) { return kind == ops::KernelKind::gemm; }
bool is_scan(ops::KernelKind kind) {
  return kind == ops::KernelKind::scan_forward || kind == ops::KernelKind::scan_backward;
}

TEST(MambaLayer, SharesItsWorkOverTensorAndContextRanks) {
  const LayerKind mamba{Mixer::mamba, Net::none};
  const auto work = [&](training::Degrees d) {
    const Setting at(support::a_config(d), tiny_hybrid());
    return traced_block([&](Builder& b) {
      layer_forward(b, at.x, mamba, TimeCategory::forward);
      layer_backward(b, at.x, mamba, at.config.recompute);
    });
  };
  const Workload one = work({});
  for (const training::Degrees d : {training::Degrees{.tensor = 2}, training::Degrees{.context = 4},
                                    training::Degrees{.tensor = 4, .context = 2}}) {
    const double ranks = d.tensor * d.context;
    EXPECT_DOUBLE_EQ(flops_of_block(work(d), is_product) * ranks, flops_of_block(one, is_product));
    EXPECT_DOUBLE_EQ(flops_of_block(work(d), is_scan) * ranks, flops_of_block(one, is_scan));
  }
}

TEST(MambaLayer, LeavesItsWeightGradientsToThePassOfTheirOwn) {
  Setting at(support::a_config(), tiny_hybrid());
  const LayerKind mamba{Mixer::mamba, Net::none};
  const auto products = [&](bool split) {
    at.x.splits_backward = split;
    return flops_of_block(traced_block([&](Builder& b) {
                            layer_backward(b, at.x, mamba, at.config.recompute);
                            if (split) layer_weight_gradients(b, at.x, mamba);
                          }),
                          is_product);
  };
  EXPECT_EQ(products(true), products(false));
}

TEST(LayersOfOneHalf, HaveOneNormAndOneResidual) {
  const Setting at(support::a_config(), tiny_hybrid());
  EXPECT_EQ(forward(at, {Mixer::none, Net::dense}),
            (Lines{"norm 1024x1024", "gemm 1024x2816x1024", "activation 1024x2816", "gemm 1024x1024x2816",
                   "residual 1024x1024"}));
  EXPECT_EQ(forward(at, {Mixer::attention, Net::none}),
            (Lines{"norm 1024x1024", "gemm 1024x1536x1024", "attention 1024x1024 of 16/4 causal",
                   "gemm 1024x1024x1024", "residual 1024x1024"}));
}

TEST(PostNorms, StandAfterBothHalves) {
  training::ModelSpec m = support::tiny_llama();
  m.post_norms = true;
  const Setting at(support::a_config(), m);
  const auto norms = [](const Lines& lines, const char* wanted) {
    return std::count(lines.begin(), lines.end(), wanted);
  };
  EXPECT_EQ(norms(forward(at, LayerKind::dense), "norm 1024x1024"), 4);
  EXPECT_EQ(norms(backward(at, LayerKind::dense), "norm' 1024x1024"), 4);
}

}  // namespace
}  // namespace echo::workload
