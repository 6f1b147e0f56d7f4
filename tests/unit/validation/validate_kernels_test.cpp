#include "validation/validate_kernels.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/measured/measured_kernels.hpp"
#include "tests/support/random_config.hpp"

namespace echo::validation {
namespace {

using ::testing::HasSubstr;

const std::string gemm = "gpu,library,dtype,m,n,k,latency_us\n";

ValidatedTable validated(const std::string& text) {
  const CsvTable table = CsvTable::parse(text, "t.csv");
  const config::KernelTable kind = config::kernel_table_of(table).value();
  ValidateOptions options;
  options.wants_csv = true;
  return validate_kernels(config::read_measured_kernels(table, kind, support::presets()), kind, "t.csv",
                          support::presets(), options);
}

// The column of a row of the CSV that `validate` writes.
std::string cell(const ValidatedTable& done, std::size_t row, const char* column) {
  return std::string(CsvTable::parse(done.csv_header + done.csv, "rows.csv").text(row, column));
}

// What the program predicts of a product, in us; its measurement is made up from that.
double predicted_us(const std::string& shape) {
  return std::stod(cell(validated(gemm + "h100-sxm,sglang,bfloat16," + shape + ",1\n"), 0, "predicted")) *
         1e6;
}

std::string measured(const std::string& shape, double over_measured) {
  return fmt::format("h100-sxm,sglang,bfloat16,{},{:.9g}\n", shape, predicted_us(shape) / over_measured);
}

// Predictions 10 % too long, 20 % too short and right in the region; twice as long outside.
TEST(ValidateKernels, ErrorsAreThoseWorkedOutByHandForTheRegionAndForAll) {
  const ValidatedTable done =
      validated(gemm + measured("512,1024,2048", 1.1) + measured("4096,4096,4096", 0.8) +
                measured("1024,1024,1024", 1.0) + measured("64,4096,4096", 2.0));
  EXPECT_EQ(done.rows, 4U);
  EXPECT_EQ(done.claimed.scored, 3);
  EXPECT_NEAR(done.claimed.median_ape, 0.1, 1e-4);
  EXPECT_NEAR(done.claimed.mean_ape, 0.1, 1e-4);
  EXPECT_NEAR(done.claimed.p90_ape, 0.18, 1e-4);
  EXPECT_NEAR(done.claimed.bias, -0.1 / 3, 1e-4);
  EXPECT_EQ(done.all.scored, 4);
  EXPECT_NEAR(done.all.mean_ape, 1.3 / 4, 1e-4);
  EXPECT_NEAR(std::stod(cell(done, 1, "ratio")), 0.8, 1e-4);
  EXPECT_EQ(cell(done, 3, "in_region"), "0");
}

TEST(ValidateKernels, TheErrorOfAnEfficiencyIsOfTheEfficiencyNotOfTheTime) {
  const std::string header = "gpu,op,peak_tflops,efficiency,description\n";
  const std::string about = ",\"b=1, m=4096, k=4096, n=4096, layout=TN, accumulate=False\"\n";
  const std::string half = cell(validated(header + "b200-sxm,matmul,2250,0.5" + about), 0, "predicted");
  // Twice the efficiency that is predicted: an error of 50 %; of the time it would be 100 %.
  const ValidatedTable done =
      validated(header + fmt::format("b200-sxm,matmul,2250,{:.9g}", 2 * std::stod(half)) + about);
  EXPECT_NEAR(done.claimed.median_ape, 0.5, 1e-4);
  EXPECT_NEAR(done.claimed.bias, -0.5, 1e-4);
  EXPECT_EQ(cell(done, 0, "quantity"), "efficiency");
  EXPECT_NEAR(std::stod(cell(done, 0, "predicted")), std::stod(half), 1e-4);
}

TEST(ValidateKernels, RegionComesFirstByGpuLibraryAndStratum) {
  const std::string text = validated(gemm + measured("512,1024,2048", 1.1)).text;
  const std::size_t region = text.find("m, n, k >= 512"), all = text.find("all rows");
  ASSERT_NE(all, std::string::npos);
  EXPECT_LT(region, all);
  EXPECT_THAT(text, HasSubstr("h100-sxm sglang gemm bfloat16     1  10.0 %"));
}

TEST(ValidateKernels, SkippedRowsAreCountedByTheirReason) {
  const ValidatedTable done =
      validated(gemm + "tpu-v9,sglang,bfloat16,512,512,512,1\n" + "tpu-v9,sglang,bfloat16,512,512,512,1\n" +
                "h100-sxm,sglang,int4_wo,512,512,512,1\n");
  EXPECT_EQ(done.all.scored, 0);
  EXPECT_THAT(done.text, HasSubstr("skipped     2  no preset for gpu tpu-v9"));
  EXPECT_THAT(done.text, HasSubstr("skipped     1  dtype int4_wo"));
  EXPECT_EQ(cell(done, 2, "status"), "skipped");
  EXPECT_EQ(cell(done, 2, "predicted"), "");
}

TEST(ValidateKernels, ALibraryWithoutConstantsIsScoredWithThoseForTrainingAndThatIsSaid) {
  const ValidatedTable done = validated(gemm + "h100-sxm,vllm,bfloat16,512,512,512,1\n");
  EXPECT_EQ(done.claimed.scored, 1);
  EXPECT_EQ(cell(done, 0, "constants"), "training");
  EXPECT_THAT(done.text, HasSubstr("for want of its own: vllm on h100-sxm (rows: 1)"));
}

TEST(ValidateKernels, JsonHoldsTheRegionAndAllRowsByGroup) {
  const ValidatedTable done = validated(gemm + measured("512,1024,2048", 1.1) + measured("64,64,64", 1.1));
  text::Json json;
  json.open_object();
  done.add_members(json);
  const std::string text = json.close().text();
  EXPECT_THAT(text, HasSubstr("\"table\": \"gemm\""));
  EXPECT_THAT(text, HasSubstr("\"claimed\": {\n    \"scored\": 1,"));
  EXPECT_THAT(text, HasSubstr("\"all\": {\n    \"scored\": 2,"));
  EXPECT_THAT(text, HasSubstr("\"h100-sxm sglang gemm bfloat16\": {\n        \"scored\": 2,"));
}

}  // namespace
}  // namespace echo::validation
