#include "profilers/kernels/kernel_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/canonical_kernel.hpp"
#include "ops/describe.hpp"
#include "profilers/kernels/duration_guess.hpp"
#include "profilers/kernels/kernel_mechanism.hpp"

namespace echo::profilers {
namespace {

using ops::KernelKind;

TEST(DefaultKernels, CanAllBeRunAndStandOnce) {
  std::vector<ops::KernelKey> kernels = default_kernels();
  for (const ops::KernelKey& key : kernels) {
    EXPECT_EQ(why_not_run(key), nullptr) << ops::describe(key);
    EXPECT_EQ(key, ops::canonical(key)) << ops::describe(key);
  }
  std::sort(kernels.begin(), kernels.end());
  EXPECT_EQ(std::adjacent_find(kernels.begin(), kernels.end()), kernels.end());
}

TEST(DefaultKernels, HaveEveryMechanism) {
  const std::vector<ops::KernelKey> kernels = default_kernels();
  for (const Mechanism m : {Mechanism::gemm, Mechanism::attention, Mechanism::row, Mechanism::stream})
    EXPECT_TRUE(
        std::any_of(kernels.begin(), kernels.end(), [&](const auto& key) { return mechanism_of(key) == m; }));
}

TEST(DefaultKernels, LastFromMicrosecondsToMilliseconds) {
  for (const ops::KernelKey& key : default_kernels()) {
    EXPECT_GT(guess_seconds(key), 5e-6) << ops::describe(key);
    EXPECT_LT(guess_seconds(key), 10e-3) << ops::describe(key);
  }
}

TEST(KernelTable, ReadsMembersOfTheKeyByName) {
  const auto kernels = read_kernels(CsvTable::parse(
      "kind,m,n,k,layout,fp32_accumulate,note\ngemm,128,256,64,nt,yes,a product\nelementwise,8,16,,,,\n",
      "k.csv"));
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0], (ops::KernelKey{.kind = KernelKind::gemm,
                                        .layout = ops::GemmLayout::nt,
                                        .fp32_accumulate = true,
                                        .m = 128,
                                        .n = 256,
                                        .k = 64}));
  EXPECT_EQ(kernels[1], (ops::KernelKey{.kind = KernelKind::elementwise, .m = 8, .n = 16}));
}

TEST(KernelTable, HoldsAKernelOnceHoweverItIsSpelled) {
  const auto kernels =
      read_kernels(CsvTable::parse("kind,m,n,causal\nelementwise,8,16,no\nelementwise,8,16,yes\n", "k.csv"));
  EXPECT_EQ(kernels.size(), 1u);
}

TEST(KernelTable, NamesEveryMistakeWithItsLine) {
  try {
    static_cast<void>(read_kernels(
        CsvTable::parse("kind,m,n,colour\ngem,1,1,\npermute,4,4,\n,8,8,\nelementwise,x,8,\n", "k.csv")));
    FAIL() << "a bad table was read";
  } catch (const UserError& error) {
    ASSERT_EQ(error.problems().size(), 5u);
    EXPECT_EQ(error.exit_code(), 2);
    EXPECT_THAT(error.problems()[0].what, ::testing::HasSubstr("unknown column \"colour\""));
    EXPECT_THAT(error.problems()[1].what, ::testing::HasSubstr("unknown kind \"gem\""));
    EXPECT_THAT(error.problems()[2].what, ::testing::HasSubstr("cannot be measured"));
    EXPECT_THAT(error.problems()[3].what, ::testing::HasSubstr("no kind"));
    EXPECT_THAT(error.problems()[4].what, ::testing::HasSubstr("x"));
    for (std::size_t i = 1; i < 5; ++i)
      EXPECT_EQ(error.problems()[i].place.line, static_cast<std::int32_t>(i) + 1);
  }
}

TEST(KernelTable, RefusesATableOfNothing) {
  EXPECT_THROW(static_cast<void>(read_kernels(CsvTable::parse("kind,m\n", "k.csv"))), UserError);
}

TEST(WantedKernels, LeaveOutWhatIsNotRunHereAndSayWhy) {
  const ChosenKernels wanted =
      read_wanted_kernels(CsvTable::parse("gpu,kind,library,m,n,k,share,error,price,points\n"
                                          "h100-sxm,gemm,training,128,256,64,0.2,0.1,modelled,3\n"
                                          "h100-sxm,permute,training,4,4,1,0.1,0.1,modelled,3\n"
                                          "a100-sxm-80gb,gemm,training,64,64,64,0.1,0.1,modelled,3\n"
                                          "h100-sxm,gemm,sglang,64,64,64,0.1,0.1,modelled,3\n"
                                          "h100-sxm,rope,training,64,64,1,0.1,0.1,modelled,3\n",
                                          "gaps.csv"),
                          "h100-sxm");
  ASSERT_EQ(wanted.kernels.size(), 2u);
  EXPECT_EQ(wanted.kernels[0].kind, KernelKind::gemm);  // in the order of the table: the weightiest first
  EXPECT_EQ(wanted.kernels[1].kind, KernelKind::rope);
  EXPECT_EQ(wanted.left_out.size(), 3u);
  for (const auto& [why, count] : wanted.left_out) EXPECT_EQ(count, 1) << why;
}

TEST(WantedKernels, OfEveryGpuAreTakenWhereNoneIsNamed) {
  const auto table = CsvTable::parse("gpu,kind,m,n,k\na,gemm,8,8,8\nb,gemm,16,8,8\n,gemm,32,8,8\n", "g.csv");
  EXPECT_EQ(read_wanted_kernels(table, "").kernels.size(), 3u);
  EXPECT_EQ(read_wanted_kernels(table, "a").kernels.size(), 2u);
}

TEST(WantedKernels, OfAnUnreadableTableAreRefused) {
  try {
    static_cast<void>(read_wanted_kernels(CsvTable::parse("kind,m,hue\ngem,1,\nrope,-,\n", "g.csv"), ""));
    FAIL() << "a bad table was read";
  } catch (const UserError& error) {
    EXPECT_EQ(error.problems().size(), 3u);
  }
}

}  // namespace
}  // namespace echo::profilers
