#include "ops/canonical_kernel.hpp"

#include <gtest/gtest.h>

#include "ops/kernel_fields.hpp"

namespace echo::ops {
namespace {

TEST(Canonical, AWindowAsLongAsTheKeysIsNone) {
  KernelKey key{
      .kind = KernelKind::attention_forward, .causal = true, .chunked = true, .m = 4096, .n = 4096, .k = 128};
  key.span = 4096;
  EXPECT_EQ(canonical(key).span, 0);
  EXPECT_FALSE(canonical(key).chunked);
  key.span = 1024;
  EXPECT_EQ(canonical(key), key);
}

TEST(Canonical, NarrowProductsHaveOneLayout) {
  KernelKey key{.kind = KernelKind::gemm, .precision = Precision::fp8, .layout = GemmLayout::nt};
  EXPECT_EQ(canonical(key).layout, GemmLayout::tn);
  key.precision = Precision::bf16;
  EXPECT_EQ(canonical(key).layout, GemmLayout::nt);
}

// Whatever the model reads stays: the closed forms of a key and of its canonical spelling agree.
TEST(Canonical, KeepsArithmeticAndTraffic) {
  for (std::int32_t kind = 0; kind < kernel_kind_count; ++kind) {
    for (const bool flag : {false, true}) {
      KernelKey key{
          .kind = static_cast<KernelKind>(kind), .causal = flag, .gated = flag, .fp32_accumulate = flag};
      key.layout = flag ? GemmLayout::nt : GemmLayout::nn;
      key.style = flag ? KernelStyle::eager : KernelStyle::compiled;
      key.m = 512, key.n = 1024, key.k = 64, key.batch = 8, key.groups = 2, key.span = 256,
      key.value_dim = 128;
      EXPECT_EQ(flops_of(canonical(key)).value, flops_of(key).value) << name_of(key.kind);
      EXPECT_EQ(traffic_of(canonical(key)), traffic_of(key)) << name_of(key.kind);
      EXPECT_EQ(canonical(canonical(key)), canonical(key));
    }
  }
}

TEST(Canonical, ExpertsThatAreAllHereAreSpelledOut) {
  KernelKey key{.kind = KernelKind::expert_ffn, .m = 1024, .n = 768, .k = 2048, .batch = 16, .groups = 2};
  const KernelKey plain = canonical(key);
  EXPECT_EQ(plain.routing, (Routing{.experts = 16, .rows = 2048, .reached = 1024}));
  key.routing = plain.routing;
  EXPECT_EQ(canonical(key), plain);
}

TEST(WhyUnsound, RefusesRoutingThatCannotBe) {
  KernelKey key{.kind = KernelKind::expert_ffn, .m = 1024, .n = 768, .k = 2048, .batch = 16, .groups = 2};
  const auto with = [&](const Routing& routing) {
    KernelKey other = key;
    other.routing = routing;
    return why_unsound(other);
  };
  EXPECT_EQ(with({}), nullptr);
  EXPECT_EQ(with({.experts = 64, .rows = 600, .reached = 500}), nullptr);
  EXPECT_NE(with({.rows = 600}), nullptr);
  EXPECT_NE(with({.experts = 8, .rows = 600, .reached = 500}), nullptr);
  EXPECT_NE(with({.experts = 64, .rows = 600, .reached = 2000}), nullptr);
  EXPECT_NE(with({.experts = 64, .rows = 3000, .reached = 500}), nullptr);
  EXPECT_NE(with({.experts = 64, .rows = 600, .reached = 500, .unevenness = -1}), nullptr);
}

TEST(WhyUnsound, RefusesWhatNoGpuRuns) {
  EXPECT_EQ(why_unsound({.m = 131072, .n = 262144, .k = 65536}), nullptr);
  EXPECT_EQ(why_unsound({.kind = KernelKind::optimizer, .m = 2'000'000'000, .n = 40}), nullptr);
  EXPECT_NE(why_unsound({.m = 0}), nullptr);
  EXPECT_NE(why_unsound({.groups = -1}), nullptr);
  EXPECT_NE(why_unsound({.m = 2'000'000'000, .n = 2'000'000'000}), nullptr);
  EXPECT_NE(why_unsound({.kind = KernelKind::scan_forward}), nullptr);
  KernelKey wide{.kind = KernelKind::attention_forward};
  wide.value_dim = -5;
  EXPECT_NE(why_unsound(wide), nullptr);
}

TEST(KernelFields, NumbersAndBack) {
  KernelKey key{.kind = KernelKind::quantize, .precision = Precision::nvfp4, .layout = GemmLayout::nt};
  key.library = KernelLibrary::vidur, key.attention = AttentionKernel::flash_1, key.grouped = true;
  key.m = 3, key.n = 5, key.k = 7, key.batch = 11, key.groups = 13, key.value_dim = 17, key.span = 19;
  key.routing = {.experts = 23, .rows = 29, .reached = 31, .unevenness = 37, .tuned = true};
  EXPECT_EQ(key_of(numbers_of(key)), key);
}

TEST(KernelFields, CompareAsKeysDo) {
  const KernelKey a{.kind = KernelKind::gemm, .m = 100},
      b{.kind = KernelKind::gemm, .layout = GemmLayout::nt, .m = 1};
  EXPECT_EQ(numbers_of(a) < numbers_of(b), a < b);
}

}  // namespace
}  // namespace echo::ops
