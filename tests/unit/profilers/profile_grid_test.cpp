#include "profilers/kernels/profile_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ops/canonical_kernel.hpp"
#include "ops/describe.hpp"
#include "profilers/kernels/duration_guess.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"

namespace echo::profilers {
namespace {

using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

TEST(OctaveGrid, HoldsKernelsThatRunEachOnce) {
  const std::vector<KernelKey> grid = octave_grid();
  EXPECT_EQ(std::set<KernelKey>(grid.begin(), grid.end()).size(), grid.size());
  for (const KernelKey& key : grid) {
    EXPECT_EQ(why_not_run(key), nullptr) << ops::describe(key);
    EXPECT_EQ(key, ops::canonical(key)) << ops::describe(key);
    EXPECT_LT(guess_seconds(key), 0.2) << ops::describe(key);
  }
}

TEST(OctaveGrid, HasEveryFormatAndLayoutOfTraining) {
  const std::vector<KernelKey> grid = octave_grid();
  const auto has = [&](machine::Precision p, GemmLayout layout, bool added) {
    return std::any_of(grid.begin(), grid.end(), [&](const KernelKey& key) {
      return key.kind == KernelKind::gemm && key.precision == p && key.layout == layout &&
             key.fp32_accumulate == added;
    });
  };
  using machine::Precision;
  for (const Precision p : {Precision::bf16, Precision::fp16, Precision::tf32}) {
    EXPECT_TRUE(has(p, GemmLayout::tn, false));
    EXPECT_TRUE(has(p, GemmLayout::nn, false));
    EXPECT_TRUE(has(p, GemmLayout::nt, false));
    EXPECT_TRUE(has(p, GemmLayout::nt, true));
  }
  EXPECT_TRUE(has(Precision::fp8, GemmLayout::tn, false));
  EXPECT_TRUE(has(Precision::fp8, GemmLayout::tn, true));
}

// What the database asks for (kernels/database/database.cpp): a measured shape within 1.5 octaves.
TEST(OctaveGrid, HasANeighbourForEveryProductWithinIt) {
  const std::vector<KernelKey> grid = octave_grid();
  for (std::int32_t m = 512; m <= 16384; m = m * 5 / 3)
    for (std::int32_t n = 1024; n <= 16384; n = n * 7 / 4)
      for (std::int32_t k = 1024; k <= 16384; k = k * 9 / 5) {
        const auto apart = [](std::int32_t a, std::int32_t b) {
          return std::log2(static_cast<double>(a) / static_cast<double>(b));
        };
        double nearest = 1e9;
        for (const KernelKey& key : grid)
          if (key.kind == KernelKind::gemm && key.precision == machine::Precision::bf16 &&
              key.layout == GemmLayout::tn)
            nearest = std::min(nearest, std::hypot(apart(key.m, m), apart(key.n, n), apart(key.k, k)));
        EXPECT_LE(nearest, 1.0) << m << " " << n << " " << k;
      }
}

}  // namespace
}  // namespace echo::profilers
