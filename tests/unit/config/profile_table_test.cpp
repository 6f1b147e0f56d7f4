#include "config/measured/profile_table.hpp"

#include <gtest/gtest.h>

#include "ops/kernel_fields.hpp"
#include "tests/support/kernel_fixtures.hpp"

namespace echo::config {
namespace {

CatalogInputs two_gpus() {
  CatalogInputs presets;
  presets.catalog.gpus = {testing::a100(), testing::h100()};
  presets.aliases = Aliases({{"gpu", "H100", "h100-sxm"}, {"precision", "bfloat16", "bf16"}});
  return presets;
}

ImportedTable imported(const std::string& text, const ImportChoices& choices, Problems& problems) {
  return read_kernel_table(CsvTable::parse(text, "folder/table.csv"), two_gpus(), choices, problems);
}

ImportedTable sound(const std::string& text, const ImportChoices& choices = {}) {
  Problems problems;
  ImportedTable table = imported(text, choices, problems);
  for (const Problem& problem : problems.list()) ADD_FAILURE() << problem.what;
  return table;
}

std::vector<std::string> complaints(const std::string& text, const ImportChoices& choices = {}) {
  Problems problems;
  (void)imported(text, choices, problems);
  std::vector<std::string> said;
  for (const Problem& problem : problems.list())
    said.push_back(std::to_string(problem.place.line) + ": " + problem.what);
  return said;
}

TEST(PlainKernelTable, SaysAnythingAKernelCanBe) {
  std::string header = "gpu,duration_us", row = "h100,12.5";
  const std::vector<std::string> numbers{"64", "128", "96", "32", "4", "80", "16", "0", "0", "0", "0"};
  ops::KernelKey key{
      .kind = ops::KernelKind::attention_backward, .precision = ops::Precision::fp16, .causal = true};
  std::size_t number = 0;
  for (const ops::KernelField& field : ops::kernel_fields()) {
    header += "," + std::string(field.name);
    row += "," + (field.names.empty() ? numbers.at(number++)
                                      : std::string(field.names[static_cast<std::size_t>(field.get(key))]));
  }
  const auto table = sound(header + "\n" + row + "\n");
  key.m = 64, key.n = 128, key.k = 96, key.batch = 32, key.groups = 4, key.value_dim = 80, key.span = 16;
  ASSERT_EQ(table.profile.rows.size(), 1U);
  EXPECT_EQ(table.profile.rows[0].key, key);
  EXPECT_DOUBLE_EQ(table.profile.rows[0].seconds, 12.5e-6);
  EXPECT_EQ(table.profile.gpus, std::vector<std::string>{"h100-sxm"});
}

TEST(PlainKernelTable, LeavesOutHaveDefaultsAndChoicesFillIn) {
  const auto table = sound("kind,precision,m,n,duration_us\nnorm_forward,bfloat16,4096,8192,50\n",
                           {.gpu = "H100",
                            .library = ops::KernelLibrary::trtllm,
                            .library_version = "1.2",
                            .date = "May",
                            .clock_mhz = 1410.0,
                            .sustained = true});
  const kernels::Measurement& row = table.profile.rows.at(0);
  EXPECT_EQ(row.key.k, 1);
  EXPECT_EQ(row.key.library, ops::KernelLibrary::trtllm);
  EXPECT_EQ(row.clock_mhz, 1410.0);
  EXPECT_TRUE(row.sustained);
  EXPECT_EQ(table.profile.origins.at(0), (kernels::Origin{"1.2", "table.csv", "May"}));
}

TEST(PlainKernelTable, ItsOwnColumnsHaveTheSay) {
  const auto table = sound(
      "gpu,kind,m,n,k,duration_us,spread,clock_mhz,sustained,library_version,date,note\n"
      "h100-sxm,gemm,64,64,64,5,0.02,1800,no,9.9,June,hello\n",
      {.library_version = "1.2", .clock_mhz = 1410.0, .sustained = true});
  const kernels::Measurement& row = table.profile.rows.at(0);
  EXPECT_EQ(row.spread, 0.02);
  EXPECT_EQ(row.clock_mhz, 1800.0);
  EXPECT_FALSE(row.sustained);
  EXPECT_EQ(table.profile.origins.at(0), (kernels::Origin{"9.9", "table.csv", "June"}));
}

TEST(PlainKernelTable, EveryBadRowIsToldInOnePass) {
  EXPECT_EQ(complaints("gpu,kind,m,n,k,layout,causal,duration_us\n"
                       "h100,gemm,64,64,64,tn,,5\n"
                       "h900,gemm,64,64,64,,,5\n"
                       "h100,gem,64,64,64,,,5\n"
                       "h100,gemm,64,64,64,tt,,5\n"
                       "h100,gemm,sixty,64,64,,,5\n"
                       "h100,gemm,64,0,64,,,5\n"
                       "h100,gemm,64,64,64,,,\n"
                       "h100,gemm,64,64,64,,,-1\n"
                       "h100,gemm,,64,64,,,5\n"
                       "h100,gemm,64,64,64,,maybe,5\n"),
            (std::vector<std::string>{"3: no preset for gpu \"h900\"", "4: unknown kind \"gem\"",
                                      "5: unknown layout \"tt\"", "6: column m: \"sixty\" is not a number",
                                      "7: m, n, k, batch and groups must be 1 or more", "8: no duration_us",
                                      "9: the duration must be above 0 and below 10 000 s", "10: no m",
                                      "11: unknown causal \"maybe\""}));
}

TEST(PlainKernelTable, AMistypedColumnIsNotIgnored) {
  EXPECT_EQ(complaints("gpu,kind,m,casual,duration_us\nh100,grad_norm,64,yes,5\n"),
            std::vector<std::string>{"1: unknown column \"casual\""});
  EXPECT_EQ(complaints("kind,m,duration_us\n"), std::vector<std::string>{"1: the table has no column gpu"});
}

TEST(PublishedKernelTable, IsReadAsItIs) {
  const std::string text = "gpu,library,dtype,m,n,k,latency_us\nh100,sglang,bfloat16,128,256,512,7.5\n";
  EXPECT_EQ(sound(text).profile.rows.at(0).key.library, ops::KernelLibrary::sglang);
  EXPECT_EQ(sound(text, {.library = ops::KernelLibrary::training}).profile.rows.at(0).key.library,
            ops::KernelLibrary::training);
  EXPECT_EQ(sound(text, {.gpu = "a100-sxm"}).profile.gpus, std::vector<std::string>{"a100-sxm"});
}

TEST(PublishedKernelTable, CountsWhatItLeavesOutAndTellsEveryBadCell) {
  const std::string header = "gpu,library,dtype,m,n,k,latency_us\n";
  const auto table =
      sound(header + "v100,sglang,bfloat16,128,256,512,7.5\nh100,sglang,int4,128,256,512,7.5\n");
  EXPECT_TRUE(table.profile.rows.empty());
  EXPECT_EQ(table.left_out.size(), 2U);
  EXPECT_EQ(
      complaints(header + "h100,sglang,bfloat16,x,256,512,7.5\nh100,sglang,bfloat16,1,y,512,7.5\n"),
      (std::vector<std::string>{"2: column m: \"x\" is not a number", "3: column n: \"y\" is not a number"}));
}

TEST(PublishedKernelTable, ALibraryNobodyKnowsIsAsked) {
  const std::string text = "gpu,library,dtype,m,n,k,latency_us\nh100,mine,bfloat16,128,256,512,7.5\n";
  EXPECT_EQ(complaints(text), std::vector<std::string>{"2: unknown library \"mine\""});
  EXPECT_EQ(sound(text, {.library = ops::KernelLibrary::training}).profile.rows.size(), 1U);
}

TEST(KernelTable, AnyOtherTableIsRefused) {
  EXPECT_EQ(complaints("a,b\n1,2\n"),
            std::vector<std::string>{"1: this is not a known table of measured kernels"});
}

}  // namespace
}  // namespace echo::config
