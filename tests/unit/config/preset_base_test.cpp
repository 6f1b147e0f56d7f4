#include "config/catalog/preset_base.hpp"

#include "base/named_table.hpp"
#include "tests/unit/config/sweep_fixture.hpp"

namespace echo::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* head = "source = \"lab\"\ngrade = \"measured\"\n";

class PresetBase : public SweepFile {
 protected:
  // What a sweep has that includes `site`.
  [[nodiscard]] SweepInputs with(const std::string& site) const {
    (void)temp_.sweep(site, "site.toml");
    return read_sweep(temp_.sweep(
        "include = [\"site.toml\"]\n[space]\nmodel = \"gpt3-125m\"\ncluster = \"h800-96\"\nglobal_batch = "
        "8\n"));
  }
  [[nodiscard]] std::vector<std::string> told(const std::string& site) const {
    return support::TempCatalog::told([&] { (void)with(site); });
  }
  template <class Table>
  static const auto& named(const Table& table, const std::string& name) {
    return table.at(static_cast<std::size_t>(find_named(table, name)));
  }
};

TEST_F(PresetBase, GivesWhatAPresetDoesNotSayItself) {
  const auto plain = with("");
  const auto inputs = with(std::string("[clusters.lab]\nbase = \"dgx-h100-ndr400\"\n") + head +
                           "scale_out_per_nic_one_way = \"100 Gb/s\"\n");
  machine::ClusterSpec expected = named(plain.catalog.clusters, "dgx-h100-ndr400");
  expected.name = "lab", expected.source = "lab", expected.scale_out.bandwidth = BytesPerSecond(12.5e9);
  const auto& lab = named(inputs.catalog.clusters, "lab");
  expected.given = lab.given;  // none
  EXPECT_EQ(lab, expected);
  EXPECT_EQ(named(inputs.catalog.clusters, "dgx-h100-ndr400").scale_out,
            named(plain.catalog.clusters, "dgx-h100-ndr400").scale_out);
}

TEST_F(PresetBase, OfItsOwnNameIsThePresetThatItReplaces) {
  const auto plain = with("");
  const auto inputs = with(std::string("[gpus.h100-sxm]\nbase = \"h100-sxm\"\n") + head +
                           "[gpus.h100-sxm.peak_dense]\nfp8 = \"1 "
                           "PFLOP/s\"\n");
  machine::GpuSpec expected = named(plain.catalog.gpus, "h100-sxm");
  expected.source = "lab";
  expected.peak[static_cast<std::size_t>(machine::Precision::fp8)] = FlopsPerSecond(1e15);
  EXPECT_EQ(named(inputs.catalog.gpus, "h100-sxm"), expected);
}

TEST_F(PresetBase, FillsUpFittedConstantsToo) {
  const auto inputs = with(
      std::string("[kernels.h100-sxm]\nbase = \"h100-sxm\"\n") + head +
      "[kernels.h100-sxm.constants]\ngemm_sustained = { value = 0.5, error = 0.1, source = \"fitted\" }\n" +
      "[networks.default-h100]\nbase = \"default-h100\"\n" + head +
      "[networks.default-h100.constants]\nnetwork_rate = 0.25\n");
  EXPECT_EQ(named(inputs.calibration.kernels, "h100-sxm").gemm_sustained, 0.5);
  EXPECT_EQ(named(inputs.calibration.kernels, "h100-sxm").gemm_sustained_8, 1.0);
  EXPECT_EQ(named(inputs.calibration.networks, "default-h100").network_rate, 0.25);
  EXPECT_EQ(named(inputs.calibration.networks, "default-h100").overlap, 1.0);
}

TEST_F(PresetBase, MayHaveABaseOfItsOwn) {
  const auto inputs = with(std::string("[models.a]\nbase = \"b\"\n") + head +
                           "layers = 3\n[models.b]\nbase = " + "\"gpt3-125m\"\n" + head + "hidden = 1536\n");
  const training::ModelSpec& a = named(inputs.catalog.models, "a");
  EXPECT_EQ(a.layers, 3);
  EXPECT_EQ(a.hidden, 1536);
  EXPECT_EQ(a.heads, named(inputs.catalog.models, "gpt3-125m").heads);
}

TEST_F(PresetBase, LeavesTheFileThatASweepRecordsAsItWasWritten) {
  const auto inputs = with(std::string("[gpus.h100-sxm]\nbase = \"h100-sxm\"\n") + head + "sm_count = 100\n");
  EXPECT_THAT(inputs.resolved_toml, HasSubstr("base = 'h100-sxm'"));
  EXPECT_THAT(inputs.resolved_toml, ::testing::Not(HasSubstr("memory_bandwidth")));
}

TEST_F(PresetBase, IsAProblemWhereItIsUnknownCircularOrNoName) {
  EXPECT_THAT(told(std::string("[gpus.mine]\nbase = \"h100\"\n") + head),
              ::testing::Contains(HasSubstr("2:9 unknown base \"h100\" of gpu \"mine\"")));
  EXPECT_THAT(
      told(std::string("[models.gpt3-125n]\nbase = \"gpt3-125n\"\n") + head),
      ::testing::Contains(HasSubstr("2:9 unknown base \"gpt3-125n\" of model \"gpt3-125n\" | did you")));
  EXPECT_THAT(told(std::string("[models.a]\nbase = \"b\"\n") + head + "[models.b]\nbase = \"a\"\n" + head),
              ::testing::Contains(HasSubstr("the bases of model \"b\" form a cycle")));
  EXPECT_THAT(told(std::string("[gpus.mine]\nbase = 3\n") + head),
              ::testing::Contains(HasSubstr("base of gpu \"mine\" must be a string, not an integer")));
}

TEST_F(PresetBase, LendsNoSource) {
  EXPECT_THAT(told("[gpus.mine]\nbase = \"h100-sxm\"\ngrade = \"measured\"\n"),
              ElementsAre(HasSubstr("gpu \"mine\" lacks \"source\"")));
}

}  // namespace
}  // namespace echo::config
