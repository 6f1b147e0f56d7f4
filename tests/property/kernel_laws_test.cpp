// Laws of kernel prices over seeded shapes, for the constants of every GPU in the catalog.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "kernels/price_kernels.hpp"
#include "ops/launches.hpp"

namespace echo::kernels {
namespace {

using machine::GpuSpec;
using ops::KernelKey, ops::KernelKind, ops::KernelStyle;

constexpr std::uint64_t seed = 20240607;
constexpr int shapes = 1500;

const config::CatalogInputs& inputs() {
  static const config::CatalogInputs all = config::read_catalog();
  return all;
}

const KernelConstants& constants_of(const GpuSpec& gpu) {
  const auto& kernels = inputs().calibration.kernels;
  return kernels.at(static_cast<std::size_t>(find_named(kernels, gpu.kernels)));
}

// Log-uniform in [low, high].
std::int32_t extent(std::uint64_t key, std::uint64_t number, double low, double high) {
  return static_cast<std::int32_t>(low * std::pow(high / low, draw_unit(seed, key, number)));
}

KernelKey shape(int i) {
  const auto key = static_cast<std::uint64_t>(i);
  KernelKey out{.kind =
                    i % 2 == 0 ? KernelKind::gemm : static_cast<KernelKind>(i / 2 % ops::kernel_kind_count)};
  out.layout = static_cast<ops::GemmLayout>(draw(seed, key, 10) % 3);
  out.style = static_cast<KernelStyle>(draw(seed, key, 11) % 3);
  out.causal = draw(seed, key, 12) % 2 == 0, out.gated = draw(seed, key, 13) % 2 == 0;
  out.fp32_accumulate = out.kind == KernelKind::gemm && draw(seed, key, 14) % 2 == 0;
  out.m = extent(key, 0, 1, 65536), out.n = extent(key, 1, 1, 100000), out.k = extent(key, 2, 1, 100000);
  if (out.kind == KernelKind::quantize) out.k = 1;  // elements of a block, not an extent: fewer are dearer
  if (out.kind == KernelKind::attention_forward || out.kind == KernelKind::attention_backward) {
    out.k = extent(key, 3, 32, 256), out.batch = extent(key, 4, 1, 128), out.groups = out.batch;
    out.n = out.m;
    if (out.causal && draw(seed, key, 15) % 2 == 0) {
      out.span = extent(key, 5, 1, 65536), out.chunked = draw(seed, key, 16) % 2 == 0;
      out.n += extent(key, 6, 1, 65536) - 1;  // queries are the last of the tokens
    }
  }
  if (out.kind == KernelKind::expert_ffn) {
    out.batch = extent(key, 4, 1, 128), out.groups = extent(key, 7, 1, std::min(8, out.batch));
    out.routing.unevenness = static_cast<std::int32_t>(draw(seed, key, 17) % 3 * 5);
  }
  if (out.kind == KernelKind::scan_forward || out.kind == KernelKind::scan_backward) {
    out.n = extent(key, 3, 16, 256), out.k = extent(key, 5, 16, 256), out.span = extent(key, 6, 32, 256);
    out.groups = extent(key, 7, 1, 8), out.batch = out.groups * extent(key, 4, 1, 32);
  }
  return out;
}

template <class Claim>
void for_every_gpu_and_shape(const Claim& claim) {
  for (const GpuSpec& gpu : inputs().catalog.gpus) {
    for (int i = 0; i < shapes; ++i) {
      SCOPED_TRACE(gpu.name + ", seed " + std::to_string(seed) + ", shape " + std::to_string(i));
      claim(gpu, constants_of(gpu), shape(i));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

TEST(KernelLaws, NoPriceBeatsPeakArithmeticOrPeakBandwidth) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, const KernelKey& key) {
    const double time = to_seconds(price_kernel(key, gpu, c).alone);
    EXPECT_GE(time * (1 + 1e-6) + 1e-12, ops::flops_of(key).value / gpu.peak_of(key.precision).value);
    EXPECT_GE(time * (1 + 1e-6) + 1e-12,
              static_cast<double>(ops::traffic_of(key).value) / gpu.memory_bandwidth.value);
  });
}

TEST(KernelLaws, SharesAreFractions) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, const KernelKey& key) {
    const ops::KernelPrice price = price_kernel(key, gpu, c);
    EXPECT_GT(price.alone, SimTime::zero());
    EXPECT_GT(price.sm_share, 0.0);
    for (const double share : {price.sm_share, price.memory_share, price.compute_bound, price.wave_loss}) {
      EXPECT_GE(share, 0.0);
      EXPECT_LE(share, 1.0);
    }
    EXPECT_EQ(price.blocks, std::floor(price.blocks));
    EXPECT_GE(price.blocks, key.kind == ops::KernelKind::gemm ? 1.0 : 0.0);
  });
}

TEST(KernelLaws, DoublingAnExtentNeverMakesAKernelFaster) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, const KernelKey& key) {
    const SimTime before = price_kernel(key, gpu, c).alone;
    for (std::int32_t KernelKey::*extent : {&KernelKey::m, &KernelKey::n, &KernelKey::k, &KernelKey::batch}) {
      KernelKey twice = key;
      // Twice an odd extent may become aligned: compare aligned with aligned.
      KernelKey base = key;
      base.m = (base.m + 63) / 64 * 64, base.n = (base.n + 63) / 64 * 64;
      if (key.kind == KernelKind::gemm) base.k = (base.k + 63) / 64 * 64;
      if (key.kind == KernelKind::attention_forward || key.kind == KernelKind::attention_backward)
        base.n = base.m;
      twice = base;
      twice.*extent *= 2;
      if (extent == &KernelKey::batch) twice.groups *= 2;
      EXPECT_GE(price_kernel(twice, gpu, c).alone, price_kernel(base, gpu, c).alone);
    }
    EXPECT_GT(before, SimTime::zero());
  });
}

// A few more rows may fill a wave better and so cost less, but never by more than the wave was wasting.
TEST(KernelLaws, AFewMoreTokensNeverSaveMoreThanQuantisation) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, const KernelKey& key) {
    if (key.layout == ops::GemmLayout::nt && key.kind == KernelKind::gemm)
      return;  // tokens are its alignment
    KernelKey more = key;
    more.m += more.m / 16 + 1;
    EXPECT_GE(to_seconds(price_kernel(more, gpu, c).alone),
              0.97 * to_seconds(price_kernel(key, gpu, c).alone));
  });
}

TEST(KernelLaws, EagerIsNoFasterThanCompiledNorCompiledThanFused) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, KernelKey key) {
    SimTime before{};
    for (const KernelStyle style : {KernelStyle::fused, KernelStyle::compiled, KernelStyle::eager}) {
      key.style = style;
      const SimTime time = price_kernel(key, gpu, c).alone;
      EXPECT_GE(time, before);
      before = time;
    }
  });
}

TEST(KernelLaws, CausalIsNeverDearer) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, KernelKey key) {
    key.causal = false;
    const SimTime full = price_kernel(key, gpu, c).alone;
    key.causal = true;
    EXPECT_LE(price_kernel(key, gpu, c).alone, full);
  });
}

TEST(KernelLaws, PricesAreAFunctionOfTheirArguments) {
  for_every_gpu_and_shape([](const GpuSpec& gpu, const KernelConstants& c, const KernelKey& key) {
    EXPECT_EQ(price_kernel(key, gpu, c), price_kernel(key, gpu, c));
  });
}

}  // namespace
}  // namespace echo::kernels
