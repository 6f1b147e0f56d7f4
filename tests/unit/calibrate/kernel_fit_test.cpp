#include "calibrate/kernels/kernel_fit.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "calibrate/kernels/kernel_assumed.hpp"
#include "calibrate/kernels/kernel_file.hpp"
#include "kernels/price_kernels.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::calibrate {
namespace {

using kernels::KernelConstants;
using testing::gemm, testing::h100, testing::plausible_constants;

// Rows that the model itself produces; every tenth is three times too slow.
std::vector<KernelMeasurement> rows_of(const KernelConstants& truth) {
  std::vector<KernelMeasurement> rows;
  for (int i = 0; i < 120; ++i) {
    const auto key = gemm(1024 + 512 * (i % 9), 1024 * (1 + i % 7), 1024 * (1 + i % 11));
    const double time = to_seconds(kernels::price_kernel(key, h100(), truth).alone);
    rows.push_back(
        {.key = key, .seconds = i % 10 == 0 ? 3 * time : time, .family = static_cast<std::uint64_t>(i % 7)});
  }
  return rows;
}

const std::vector<FreeConstant> rate_and_ramp{{&KernelConstants::gemm_rate_16, 0.5, 1.0},
                                              {&KernelConstants::gemm_ramp, 0, 1e-5}};

TEST(FitConstants, FindsWhatMadeTheRowsDespiteOutliers) {
  const KernelConstants truth = plausible_constants();
  const auto rows = rows_of(truth);
  KernelConstants start = truth;
  start.gemm_rate_16 = 0.6, start.gemm_ramp = 8e-6;
  const auto fitted =
      fit_constants({.rows = rows, .free = rate_and_ramp, .gpu = h100(), .predict = {}}, start);
  EXPECT_NEAR(fitted.gemm_rate_16, truth.gemm_rate_16, 0.005);
  EXPECT_NEAR(fitted.gemm_ramp, truth.gemm_ramp, 3e-7);
}

TEST(FitConstants, IsTheSameToTheBitWhenRepeated) {
  const auto rows = rows_of(plausible_constants());
  KernelConstants start = plausible_constants();
  start.gemm_rate_16 = 0.6;
  const FitProblem problem{.rows = rows, .free = rate_and_ramp, .gpu = h100(), .predict = {}};
  EXPECT_EQ(fit_constants(problem, start), fit_constants(problem, start));
}

TEST(CrossValidate, ScoresEachRowOnceAndReportsOutliersInTheMeanOnly) {
  const auto rows = rows_of(plausible_constants());
  const auto done = cross_validate({.rows = rows, .free = rate_and_ramp, .gpu = h100(), .predict = {}},
                                   plausible_constants(), [](const KernelMeasurement&) { return true; });
  EXPECT_EQ(done.errors.rows, 120);
  EXPECT_LT(done.errors.median, 0.01);
  EXPECT_NEAR(done.errors.mean, 0.1 * 2.0 / 3.0, 0.02);
  EXPECT_EQ(done.spread.size(), rate_and_ramp.size());
}

TEST(AssumedConstants, CoverEveryFieldThatAFileMustHaveOnce) {
  for (const auto& field : kernels::kernel_constant_fields()) {
    int found = 0;
    for (const AssumedConstant& assumed : assumed_constants())
      found += assumed.member == field.member ? 1 : 0;
    EXPECT_LE(found, 1) << field.name;
    if (!field.is_optional) {
      EXPECT_EQ(found, 1) << field.name;
    }
  }
}

TEST(KernelFileText, NamesEveryConstantWithErrorAndSource) {
  KernelCalibration calibration{.training = {.constants = plausible_constants(),
                                             .origins = {},
                                             .families = {{"gemm_bf16", {10, 0.02, 0.03, 0}}}},
                                .libraries = {}};
  calibration.training.origins.resize(kernels::kernel_constant_fields().size(), {0.1, "fitted: here"});
  const std::string text = kernel_file_text(calibration, "a test");
  for (const auto& field : kernels::kernel_constant_fields())
    EXPECT_NE(text.find("\n" + std::string(field.name) + " = { value = "), std::string::npos) << field.name;
  EXPECT_NE(text.find("gemm_bf16 = { rows = 10, median_ape = 0.0200"), std::string::npos);
}

TEST(KernelFileText, ListsOfALibraryOnlyWhatItHasOfItsOwn) {
  KernelCalibration calibration;
  calibration.training.origins.resize(kernels::kernel_constant_fields().size(), {0.1, "fitted: here"});
  LibraryCalibration library{.constants = plausible_constants(), .origins = {}, .families = {}};
  library.constants.library = ops::KernelLibrary::trtllm;
  library.constants.gemm_knots_16 = {.at = {{{8, 9}, {10}, {11}}}, .factor = {1.25, 0.5}};
  library.origins.resize(kernels::kernel_constant_fields().size());
  library.origins[0] = {0.1, "fitted: there"};
  calibration.libraries.push_back(library);
  const std::string text = kernel_file_text(calibration, "a test");
  const std::string own = text.substr(text.find("[library.trtllm.constants]"));
  EXPECT_NE(own.find("gemm_rate_16 = "), std::string::npos);
  EXPECT_EQ(own.find("gemm_rate_8 = "), std::string::npos);
  EXPECT_NE(own.find("[library.trtllm.knots.gemm_16]"), std::string::npos);
  EXPECT_NE(own.find("at = [[8, 9], [10], [11]]"), std::string::npos);
  EXPECT_NE(own.find("1.2500"), std::string::npos);
}

TEST(KernelSources, RefusesAGpuKindWithoutTables) { EXPECT_THROW((void)kernel_sources("v100"), UserError); }

}  // namespace
}  // namespace echo::calibrate
