#include "config/catalog/fitted/site_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/named_table.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::config {
namespace {

const CatalogInputs& shipped() {
  static const CatalogInputs inputs = read_catalog({support::source_dir() + "/sweeps/catalog"});
  return inputs;
}

template <class Table>
auto& named(Table& table, const std::string& name) {
  return table.at(static_cast<std::size_t>(find_named(table, name)));
}

std::vector<FittedSiteConstant> one_of_each() {
  return {{{SiteQuantity::products, "h100-sxm", 0.06}, 0.9, 0.01, 12},
          {{SiteQuantity::memory, "h100-sxm", 0.04}, 1.02, 0.03, 3},
          {{SiteQuantity::scale_up, "default-h100", 0.05}, 0.97, 0.02, 8},
          {{SiteQuantity::scale_out, "default-h100", 0.25}, 0.6, 0.05, 4},
          {{SiteQuantity::latency, "default-h100", 0.2}, 1.3, 0.1, 2},
          {{SiteQuantity::host, "megatron-core", 0.4}, 1.4, 0.1, 2},
          {{SiteQuantity::fixed, "megatron-core", 0.7}, 2.5, 0.2, 5}};
}

TEST(SiteFile, ReadsBackAsTheConstantsItWasWrittenFrom) {
  CatalogInputs expected = shipped();
  for (const FittedSiteConstant& c : one_of_each())
    apply(c.constant, c.factor, expected.catalog, expected.calibration);
  const std::string text = site_file_text({"site.toml", "mine.csv, 12 rows", one_of_each()},
                                          shipped().catalog, shipped().calibration);
  const CatalogInputs read =
      read_catalog_with_text(text, "site.toml", {support::source_dir() + "/sweeps/catalog"});
  // The catalog given as a preset path stands before the file: nothing moves.
  EXPECT_EQ(read.catalog.frameworks, shipped().catalog.frameworks);
  EXPECT_EQ(read.calibration, shipped().calibration);

  const auto path = std::filesystem::temp_directory_path() / "echo-site-file-test.toml";
  std::ofstream(path) << text;
  const CatalogInputs moved = read_catalog_with({path.string()}, {});
  std::filesystem::remove(path);
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-5 * std::abs(b); };
  for (const auto& field : kernels::kernel_constant_fields())
    EXPECT_PRED2(close, named(moved.calibration.kernels, "h100-sxm").*field.member,
                 named(expected.calibration.kernels, "h100-sxm").*field.member)
        << field.name;
  for (const auto& field : collective::network_constant_fields())
    EXPECT_PRED2(close, named(moved.calibration.networks, "default-h100").*field.member,
                 named(expected.calibration.networks, "default-h100").*field.member)
        << field.name;
  training::FrameworkSpec framework = named(expected.catalog.frameworks, "megatron-core");
  framework.source = named(moved.catalog.frameworks, "megatron-core").source;
  EXPECT_EQ(named(moved.catalog.frameworks, "megatron-core"), framework);
  EXPECT_PRED2(close, named(moved.catalog.gpus, "h100-sxm").memory_bandwidth.value,
               named(expected.catalog.gpus, "h100-sxm").memory_bandwidth.value);
  EXPECT_EQ(moved.catalog.models, shipped().catalog.models);
}

TEST(SiteFile, NamesItsRowsAndHoldsNothingOfAConstantThatStays) {
  const std::string text = site_file_text({"site.toml", "mine.csv, 12 rows", {one_of_each()[3]}},
                                          shipped().catalog, shipped().calibration);
  EXPECT_THAT(text, ::testing::HasSubstr("source = \"fitted: mine.csv, 12 rows\""));
  EXPECT_THAT(text, ::testing::HasSubstr("[networks.default-h100.constants]\nnetwork_rate = "));
  for (const char* other : {"kernels.", "gpus.", "frameworks.", "nvlink_rate", "base_ll"})
    EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr(other)));
}

TEST(SiteConstants, NeverLetALinkBeatItsRate) {
  CatalogInputs inputs = shipped();
  apply({SiteQuantity::scale_out, "default-h100", 0.25}, 5.0, inputs.catalog, inputs.calibration);
  EXPECT_EQ(named(inputs.calibration.networks, "default-h100").network_rate, 1.0);
}

TEST(SiteConstants, ScaleWhatAStepLosesNotAMicroBenchmark) {
  CatalogInputs inputs = shipped();
  apply({SiteQuantity::products, "a100-sxm", 0.06}, 1.2, inputs.catalog, inputs.calibration);
  const auto& before = named(shipped().calibration.kernels, "a100-sxm");
  const auto& after = named(inputs.calibration.kernels, "a100-sxm");
  EXPECT_NEAR((1 + after.gemm_sustained) * 1.2, 1 + before.gemm_sustained, 1e-12);
  EXPECT_LT(after.gemm_sustained, 0.0);  // faster than the loops that were measured
  EXPECT_EQ(after.gemm_rate_16, before.gemm_rate_16);
}

TEST(SiteFile, IsReportedWithItsPlaceWhereItIsWrong) {
  EXPECT_THROW((void)read_catalog_with({"no/such/site.toml"}, {}), UserError);
  try {
    (void)read_catalog_with_text("[kernels.h100-sxm]\nbase = \"h100-smx\"\nsource = \"s\"\n", "site.toml",
                                 {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.problems().front().place.file, "site.toml");
    EXPECT_EQ(error.problems().front().place.line, 2);
  }
}

}  // namespace
}  // namespace echo::config
