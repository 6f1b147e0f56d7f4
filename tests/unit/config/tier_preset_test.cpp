#include "config/catalog/tier_preset.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "tests/support/temp_catalog.hpp"

namespace echo::config {
namespace {

using machine::MemoryTier;
using machine::TierSharing;
using ::testing::HasSubstr;

const machine::ClusterSpec& cluster_in(const CatalogInputs& inputs, const char* name) {
  return inputs.catalog.clusters.at(at(find_named(inputs.catalog.clusters, name)));
}

constexpr const char* head = "source = \"s\"\ngrade = \"assumed\"\n";

TEST(TierPreset, GivesAClusterWhatLiesBehindItsHosts) {
  const CatalogInputs shipped = read_catalog({support::source_dir() + "/sweeps/catalog"});
  const machine::ClusterSpec& dgx = cluster_in(shipped, "dgx-h100-ndr400");
  EXPECT_EQ(dgx.host_capacity.value, 2'000'000'000'000);
  const machine::TierSpec& drives = dgx.tiers[at(MemoryTier::nvme) - 1];
  EXPECT_DOUBLE_EQ(drives.read.value, 56e9);
  EXPECT_DOUBLE_EQ(drives.write.value, 30.4e9);
  EXPECT_EQ(drives.latency, from_microseconds(100));
  EXPECT_EQ(drives.capacity.value, 30'720'000'000'000);
  EXPECT_EQ(drives.shared_by, TierSharing::node);
  EXPECT_FALSE(dgx.tiers[at(MemoryTier::cxl) - 1].is_known());
}

TEST(TierPreset, IsBasedOnAnotherAndNamedByAClusterOfItsOwn) {
  const support::TempCatalog temp;
  support::write_file(temp.folder() / "memory_tiers" / "pool.toml",
                      std::string("base = \"nvme-8x-gen5\"\nname = \"pool\"\nshared_by = \"job\"\n") + head);
  support::write_file(temp.folder() / "clusters" / "own.toml",
                      std::string("base = \"dgx-h100-ndr400\"\nname = \"own\"\nremote = \"pool\"\n") + head);
  const CatalogInputs inputs = read_catalog({temp.folder().string()});
  const machine::ClusterSpec& own = cluster_in(inputs, "own");
  EXPECT_EQ(own.tiers[at(MemoryTier::remote) - 1].shared_by, TierSharing::job);
  EXPECT_DOUBLE_EQ(own.tiers[at(MemoryTier::remote) - 1].read.value, 104e9);
  EXPECT_TRUE(own.tiers[at(MemoryTier::nvme) - 1].is_known()) << "of its base";
}

TEST(TierPreset, RefusesWhatIsNoMemory) {
  const support::TempCatalog temp;
  support::write_file(temp.folder() / "memory_tiers" / "odd.toml",
                      std::string("name = \"odd\"\n") + head +
                          "read_bandwidth = \"10\"\nwrite_bandwidth = \"-1 GB/s\"\nlatency = \"1 us\"\n"
                          "capacity = \"0 GB\"\nshared_by = \"rack\"\nsize = 3\n");
  support::write_file(temp.folder() / "clusters" / "own.toml",
                      std::string("base = \"dgx-h100-ndr400\"\nname = \"own\"\ncxl = \"nothing\"\n") + head);
  std::string problems;
  try {
    (void)read_catalog({temp.folder().string()});
  } catch (const UserError& error) {
    for (const Problem& one : error.problems()) problems += one.what + "\n";
  }
  for (const char* word : {"read_bandwidth", "write_bandwidth", "capacity", "rack", "size"})
    EXPECT_THAT(problems, HasSubstr(word));
  EXPECT_THAT(problems, HasSubstr("unknown memory tier \"nothing\""));
}

}  // namespace
}  // namespace echo::config
