#include "profilers/kernels/kernel_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace echo::profilers {
namespace {

using machine::Precision;
using ops::KernelKind;

const ops::KernelKey product{.kind = KernelKind::gemm, .m = 64, .n = 64, .k = 64},
    fp8_product{.kind = KernelKind::gemm, .precision = Precision::fp8, .m = 64, .n = 64, .k = 64},
    norm{.kind = KernelKind::norm_forward, .m = 64, .n = 64};

ChosenKernels some() { return {.kernels = {product, fp8_product, norm}, .left_out = {{"of before", 2}}}; }

TEST(Chosen, IsEverythingWhereNothingIsKnown) {
  const ChosenKernels all = chosen(some(), {});
  EXPECT_EQ(all.kernels, some().kernels);
  EXPECT_EQ(all.left_out, some().left_out);
}

TEST(Chosen, LeavesOutWhatTheGpuLacks) {
  EXPECT_THAT(chosen(some(), {.compute_capability = 80}).kernels, ::testing::ElementsAre(product, norm));
  EXPECT_THAT(chosen(some(), {.compute_capability = 90}).kernels,
              ::testing::ElementsAre(product, fp8_product, norm));
  EXPECT_TRUE(chosen(some(), {.compute_capability = 70}).kernels.empty());
}

TEST(Chosen, IsOfTheKindsAskedFor) {
  const ChosenKernels norms = chosen(some(), {.kinds = {"norm_forward", "rope"}});
  EXPECT_THAT(norms.kernels, ::testing::ElementsAre(norm));
  EXPECT_EQ(norms.left_out.at("of kinds not in --kinds"), 2);
  EXPECT_EQ(norms.left_out.at("of before"), 2);
}

TEST(Chosen, LeavesOutWhatIsMeasuredOnThisGpuAlone) {
  kernels::Profile measured{.gpus = {"a", "b"}, .origins = {{}}, .rows = {}};
  measured.rows.push_back({.gpu = 0, .key = product, .seconds = 1e-5});
  measured.rows.push_back({.gpu = 1, .key = norm, .seconds = 1e-5});
  measured.rows.push_back(
      {.gpu = 0, .key = fp8_product, .seconds = 1e-5, .scope = kernels::RowScope::serving});
  EXPECT_THAT(chosen(some(), {.gpu = "a", .measured = &measured}).kernels,
              ::testing::ElementsAre(fp8_product, norm));
  EXPECT_EQ(chosen(some(), {.gpu = "", .measured = &measured}).kernels.size(), 3u);
}

}  // namespace
}  // namespace echo::profilers
