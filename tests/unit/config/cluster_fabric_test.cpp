#include "config/catalog/cluster_fabric.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/named_table.hpp"
#include "config/catalog/catalog_files.hpp"
#include "machine/topology.hpp"
#include "tests/support/temp_catalog.hpp"

namespace echo::config {
namespace {

using support::TempCatalog;
using support::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string cluster(const std::string& keys, int nodes = 2) {
  return "name = \"mine\"\nsource = \"s\"\ngrade = \"vendor\"\ngpu = \"h100-sxm\"\ngpus_per_node = 8\nnodes "
         "= " +
         std::to_string(nodes) +
         "\nscale_up_domain = 8\ncpu = \"intel\"\nscale_up_per_gpu_one_way = \"450 GB/s\"\n"
         "scale_up_latency = \"100 ns\"\nnics_per_node = 8\nscale_out_per_nic_one_way = \"400 Gb/s\"\n"
         "network = \"default-h100\"\nnccl_version = \"2.21.5\"\n" +
         keys;
}

machine::ClusterSpec read(const TempCatalog& temp) {
  const CatalogInputs inputs = read_catalog({temp.folder().string()});
  return inputs.catalog.clusters.at(static_cast<std::size_t>(find_named(inputs.catalog.clusters, "mine")));
}

machine::ClusterSpec with(const std::string& keys) {
  const TempCatalog temp;
  write_file(temp.folder() / "clusters" / "mine.toml", cluster(keys));
  return read(temp);
}

TEST(ClusterFabric, ReadsLevelsDimensionsAndPlanes) {
  const auto c = with(
      "topology = \"torus\"\ndims = [4, 6]\nleaves_per_pod = 3\nspine_oversubscription = 1.5\n"
      "groups = 9\nplanes = 4\n");
  EXPECT_EQ(c.dims, (std::array<std::int32_t, 3>{1, 4, 6}));
  EXPECT_EQ(c.leaves_per_pod, 3);
  EXPECT_EQ(c.spine_oversubscription, 1.5);
  EXPECT_EQ(c.groups, 9);
  EXPECT_EQ(c.planes, 4);
}

TEST(ClusterFabric, TakesRoutingAndLatencyFromItsMake) {
  EXPECT_EQ(with("topology = \"fat_tree\"\n").routing, machine::Routing::adaptive);
  EXPECT_EQ(with("topology = \"fat_tree\"\n").scale_out.latency, SimTime(130'000));
  const auto roce = with("topology = \"fat_tree\"\nfabric = \"roce\"\n");
  EXPECT_EQ(roce.routing, machine::Routing::ecmp);
  EXPECT_EQ(roce.scale_out.latency, SimTime(600'000));
  const auto told = with(
      "topology = \"fat_tree\"\nfabric = \"roce\"\nrouting = \"adaptive\"\n"
      "scale_out_hop_latency = \"1 us\"\n");
  EXPECT_EQ(told.routing, machine::Routing::adaptive);
  EXPECT_EQ(told.scale_out.latency, SimTime(1'000'000));
}

TEST(ClusterFabric, SaysWhatIsWrongWithItsKeys) {
  const auto told = TempCatalog::told([] {
    (void)with(
        "topology = \"torus\"\ndims = [4]\nplanes = 0\nfabric = \"efa\"\nspine_oversubscription = 0.5\n");
  });
  EXPECT_THAT(told, ElementsAre(HasSubstr("lacks \"scale_out_hop_latency\""),
                                HasSubstr("16:8 dims lists 1 integers | list 2 to 3"),
                                HasSubstr("17:10 planes = 0 is impossible"),
                                HasSubstr("19:26 spine_oversubscription = 0.5 is impossible")));
}

TEST(GivenFabric, IsReadAndRated) {
  const TempCatalog temp;
  write_file(temp.folder() / "clusters" / "mine.toml",
             cluster("topology = \"file\"\ntopology_file = \"halls.toml\"\n"));
  write_file(temp.folder() / "fabrics" / "halls.toml",
             "switches = [\"east\", \"west\"]\n"
             "[[link]]\nbetween = [\"gpu 0-7\", \"east\"]\nbandwidth = \"50 GB/s\"\n"
             "[[link]]\nbetween = [\"gpu 8-15\", \"west\"]\nbandwidth = \"50 GB/s\"\n"
             "[[link]]\nbetween = [\"east\", \"west\"]\nbandwidth = \"100 GB/s\"\nlatency = \"2 us\"\n");
  const auto c = read(temp);
  EXPECT_EQ(c.given.graph.gpus, 16);
  EXPECT_DOUBLE_EQ(c.given.shifted.value, 100e9 / 8);
  EXPECT_EQ(c.given.shifted_latency, SimTime(2'130'000));
  machine::GroupSpan across{.ranks = 2, .nodes = 2, .ranks_per_node = 1, .stride = 8, .sharing = 8};
  EXPECT_DOUBLE_EQ(machine::links_of(across, c, machine::GpuSpec{}).scale_out.bandwidth.value, 100e9 / 8);
}

TEST(GivenFabric, SaysWhatIsWrongAndWhere) {
  const TempCatalog temp;
  write_file(temp.folder() / "clusters" / "mine.toml",
             cluster("topology = \"file\"\ntopology_file = \"../halls.toml\"\n"));
  write_file(temp.folder() / "halls.toml",
             "switches = [\"east\", \"east\", \"gpu 3\"]\n"
             "[[link]]\nbetween = [\"gpu 0-17\", \"east\"]\nbandwidth = \"50 GB/s\"\n"
             "[[link]]\nbetween = [\"gpu 0-7\", \"eest\"]\nbandwidth = \"50 GB\"\n"
             "[[link]]\nbetween = [\"east\", \"gpu 1\"]\nbandwidth = \"0 GB/s\"\n");
  const auto told = TempCatalog::told([&] { (void)read(temp); });
  EXPECT_THAT(told, ElementsAre(HasSubstr("1:22 two switches have the name \"east\""),
                                HasSubstr("1:30 a switch needs a name that does not begin with gpu"),
                                HasSubstr("3:13 \"gpu 0-17\" are not in the machine"),
                                HasSubstr("6:24 there is no \"eest\""),
                                HasSubstr("7:14 \"50 GB\" is a size, but bandwidth is a bandwidth"),
                                HasSubstr("9:21 the second end must be a switch"),
                                HasSubstr("10:14 bandwidth = 0 is impossible")));
}

TEST(GivenFabric, MustJoinAllGpus) {
  const TempCatalog temp;
  write_file(temp.folder() / "clusters" / "mine.toml",
             cluster("topology = \"file\"\ntopology_file = \"../halls.toml\"\n"));
  write_file(temp.folder() / "halls.toml",
             "switches = [\"east\"]\n[[link]]\nbetween = [\"gpu 0-7\", \"east\"]\nbandwidth = \"50 GB/s\"\n");
  EXPECT_THAT(TempCatalog::told([&] { (void)read(temp); }),
              ElementsAre(HasSubstr("gpu 0 and gpu 8 cannot reach each other")));
}

}  // namespace
}  // namespace echo::config
