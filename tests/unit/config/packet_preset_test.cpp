#include "config/catalog/packet_preset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "simulate/prices/fabric.hpp"
#include "tests/support/temp_catalog.hpp"

namespace echo::config {
namespace {

using ::testing::HasSubstr;

// The cluster with what its NIC and switch, or those of the config, say.
machine::ClusterSpec cluster_in(const CatalogInputs& inputs, const char* name,
                                const training::TrainingConfig& config = {}) {
  const machine::ClusterSpec& own =
      inputs.catalog.clusters.at(static_cast<std::size_t>(find_named(inputs.catalog.clusters, name)));
  return simulate::with_fabric(own, simulate::packet_fabric_of(config, own), inputs.catalog);
}

// The last setting of this name that holds under the congestion control.
std::string setting(const machine::ClusterSpec& cluster, std::string_view control, std::string_view name) {
  std::string value;
  for (const machine::PacketSetting& one : cluster.packets)
    if (one.name == name && (one.control.empty() || one.control == control)) value = one.value;
  return value;
}

constexpr const char* head = "source = \"s\"\ngrade = \"assumed\"\n";

TEST(PacketPreset, GivesClustersTheirNicsAndSwitches) {
  const CatalogInputs shipped = read_catalog({support::source_dir() + "/sweeps/catalog"});
  const machine::ClusterSpec roce = cluster_in(shipped, "dgx-h100-roce400");
  EXPECT_EQ(roce.congestion_control, machine::CongestionControl::dcqcn);
  EXPECT_EQ(setting(roce, "dcqcn", "RATE_AI"), "80");
  EXPECT_EQ(setting(roce, "hpcc", "RATE_AI"), "") << "a value of DCQCN alone";
  EXPECT_EQ(setting(roce, "hpcc", "BUFFER_SIZE"), "160");
  const machine::ClusterSpec infiniband = cluster_in(shipped, "dgx-h100-ndr400");
  EXPECT_EQ(infiniband.congestion_control, machine::CongestionControl::none);
  EXPECT_EQ(setting(infiniband, "none", "FLOW_CONTROL"), "credits");
}

TEST(PacketPreset, IsOverruledByTheClusterItself) {
  const support::TempCatalog temp;
  support::write_file(temp.folder() / "clusters" / "own.toml",
                      std::string("base = \"dgx-h100-roce400\"\nname = \"own\"\n") + head +
                          "nic = \"connectx-7-untuned\"\ncongestion_control = \"hpcc\"\n"
                          "[packets]\nBUFFER_SIZE = 32\n");
  const CatalogInputs inputs = read_catalog({temp.folder().string()});
  const machine::ClusterSpec own = cluster_in(inputs, "own");
  EXPECT_EQ(own.congestion_control, machine::CongestionControl::hpcc);
  EXPECT_EQ(setting(own, "dcqcn", "RATE_AI"), "5");
  EXPECT_EQ(setting(own, "dcqcn", "RP_TIMER"), "300") << "of the NIC that it is based on";
  EXPECT_EQ(setting(own, "hpcc", "BUFFER_SIZE"), "32");
}

TEST(PacketPreset, IsReplacedByThatOfAnAxis) {
  const CatalogInputs shipped = read_catalog({support::source_dir() + "/sweeps/catalog"});
  training::TrainingConfig config;
  config.fabric.nic = machine::NicId(find_named(shipped.catalog.nics, "connectx-7-untuned"));
  config.fabric.network_switch = machine::SwitchId(find_named(shipped.catalog.switches, "tomahawk-3"));
  const machine::ClusterSpec other = cluster_in(shipped, "dgx-h100-roce400", config);
  EXPECT_EQ(setting(other, "dcqcn", "RATE_AI"), "5");
  EXPECT_EQ(setting(other, "dcqcn", "BUFFER_SIZE"), "64");
  EXPECT_EQ(setting(other, "dcqcn", "KMIN 400G"), "1600");
}

TEST(PacketPreset, RefusesWhatThePacketSimulatorDoesNotKnow) {
  const support::TempCatalog temp;
  support::write_file(
      temp.folder() / "nics" / "odd.toml",
      std::string("name = \"odd\"\n") + head + "[dcqcn]\nRP_TIMERS = 3\nEWMA_GAIN = 2\n[bbr]\nGAIN = 1\n");
  support::write_file(
      temp.folder() / "clusters" / "own.toml",
      std::string("base = \"dgx-h100-roce400\"\nname = \"own\"\n") + head + "nic = \"connectx-9\"\n");
  std::string problems;
  try {
    (void)read_catalog({temp.folder().string()});
  } catch (const UserError& error) {
    for (const Problem& one : error.problems()) problems += one.what + "\n";
  }
  EXPECT_THAT(problems, HasSubstr("unknown parameter \"RP_TIMERS\""));
  EXPECT_THAT(problems, HasSubstr("EWMA_GAIN cannot be \"2\""));
  EXPECT_THAT(problems, HasSubstr("bbr"));
  EXPECT_THAT(problems, HasSubstr("unknown nic \"connectx-9\""));
}

}  // namespace
}  // namespace echo::config
