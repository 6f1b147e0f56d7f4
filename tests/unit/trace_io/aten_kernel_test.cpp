#include "trace_io/pytorch_et/aten_kernel.hpp"

#include <gtest/gtest.h>

namespace echo::trace_io {
namespace {

using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;
using trace::Pass;

AtenCall call(const std::string& name, std::vector<std::vector<std::int64_t>> shapes,
              std::vector<std::vector<std::int64_t>> strides = {},
              const std::string& type = "c10::BFloat16") {
  AtenCall out{name, std::move(shapes), std::move(strides), {}, {}};
  out.types.assign(out.shapes.size(), type);
  out.values.assign(out.shapes.size(), "");
  return out;
}

// The three products of a linear layer of 4096 tokens, 1024 inputs and 3072 outputs, as autograd calls them.
TEST(AtenKernel, ProductsOfALinearLayerAreThoseOfTheGenerator) {
  const auto forward =
      kernel_of(call("aten::mm", {{4096, 1024}, {1024, 3072}}, {{1024, 1}, {1, 1024}}), Pass::forward);
  const auto data =
      kernel_of(call("aten::mm", {{4096, 3072}, {3072, 1024}}, {{3072, 1}, {1024, 1}}), Pass::backward);
  const auto weight =
      kernel_of(call("aten::mm", {{3072, 4096}, {4096, 1024}}, {{1, 3072}, {1024, 1}}), Pass::backward);
  EXPECT_EQ(forward, (KernelKey{.layout = GemmLayout::tn, .m = 4096, .n = 3072, .k = 1024}));
  EXPECT_EQ(data, (KernelKey{.layout = GemmLayout::nn, .m = 4096, .n = 1024, .k = 3072}));
  EXPECT_EQ(weight, (KernelKey{.layout = GemmLayout::nt, .m = 1024, .n = 3072, .k = 4096}));
}

TEST(AtenKernel, ABatchOfProductsIsOneKernel) {
  const auto key = kernel_of(
      call("aten::bmm", {{96, 512, 64}, {96, 64, 512}}, {{32768, 64, 1}, {32768, 1, 64}}), Pass::forward);
  EXPECT_EQ(key, (KernelKey{.layout = GemmLayout::tn, .m = 512, .n = 512, .k = 64, .batch = 96}));
}

TEST(AtenKernel, ALinearLayerIsAProductWithItsWeightTransposed) {
  const auto key = kernel_of(call("aten::linear", {{2, 16, 64}, {192, 64}, {192}}), Pass::forward);
  EXPECT_EQ(key, (KernelKey{.m = 32, .n = 192, .k = 64}));
}

TEST(AtenKernel, FusedAttentionCountsHeadsWhereverTheyStand) {
  AtenCall inner = call("aten::_flash_attention_forward",
                        {{2, 512, 32, 128}, {2, 512, 8, 128}, {2, 512, 8, 128}, {}, {}, {}, {}, {}, {}});
  inner.values[8] = "True";
  AtenCall outer = call("aten::_scaled_dot_product_flash_attention_backward", {{2, 32, 512, 128},
                                                                               {2, 32, 512, 128},
                                                                               {2, 8, 512, 128},
                                                                               {2, 8, 512, 128},
                                                                               {},
                                                                               {},
                                                                               {},
                                                                               {},
                                                                               {},
                                                                               {},
                                                                               {},
                                                                               {}});
  outer.values[11] = "True";
  KernelKey expected{.kind = KernelKind::attention_forward,
                     .causal = true,
                     .attention = ops::AttentionKernel::flash_2,
                     .m = 512,
                     .n = 512,
                     .k = 128,
                     .batch = 64,
                     .groups = 16};
  EXPECT_EQ(kernel_of(inner, Pass::forward), expected);
  expected.kind = KernelKind::attention_backward;
  EXPECT_EQ(kernel_of(outer, Pass::backward), expected);
  outer.values[11].clear();  // not recorded whether causal
  EXPECT_EQ(kernel_of(outer, Pass::backward), std::nullopt);
}

TEST(AtenKernel, NormsCountTheRowsOfTheirWeight) {
  const auto key = kernel_of(call("aten::native_layer_norm", {{2, 16, 64}, {}, {64}, {64}, {}}, {}, "float"),
                             Pass::forward);
  EXPECT_EQ(key, (KernelKey{.kind = KernelKind::norm_forward,
                            .precision = machine::Precision::fp32,
                            .style = ops::KernelStyle::eager,
                            .m = 32,
                            .n = 64}));
}

TEST(AtenKernel, WhatDoesNotSayEnoughIsNoKernel) {
  EXPECT_EQ(kernel_of(call("aten::mm", {{4, 8}, {9, 4}}), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::mm", {{4, 8}}), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::mm", {{0, 8}, {8, 4}}), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::mm", {{1LL << 40, 8}, {8, 4}}), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::mm", {{4, 8}, {8, 4}}, {}, "long"), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::mm", {{4, 8}, {8, 4}}, {{1, 4}, {1, 8}}), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::relu", {{-1, 4}}), Pass::forward), std::nullopt);
  EXPECT_EQ(kernel_of(call("aten::add", {{4, 4}, {4, 4}}), Pass::forward), std::nullopt);
}

TEST(AtenKernel, ViewsAreFreeAndTensorsMoveTheirBytes) {
  EXPECT_TRUE(is_free("aten::view"));
  EXPECT_TRUE(is_free("aten::transpose"));
  EXPECT_FALSE(is_free("aten::add"));
  EXPECT_EQ(moved_by(call("aten::add", {{4, 4}, {4, 4}, {}})), Bytes(64));
  EXPECT_EQ(moved_by(call("aten::add", {{1LL << 62, 1LL << 62}, {4, 4}})), Bytes(32));
}

}  // namespace
}  // namespace echo::trace_io
