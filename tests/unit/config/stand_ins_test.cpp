#include "config/stand_ins.hpp"

#include <toml++/toml.h>

#include <gtest/gtest.h>

#include "config/catalog/catalog_files.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::config {
namespace {

StandIns read(const std::string& text, Problems& problems) {
  StandIns out;
  const auto root = parse_toml(text, "aliases.toml", problems);
  for (const Entry& section : in_file_order(*root))
    read_stand_ins(section.key->str(), *section.node, out, problems);
  return out;
}

TEST(StandIns, AreReadInTheOrderOfTheFile) {
  Problems problems;
  const StandIns found = read(
      "[[gpu_like]]\npart = \"v100-sxm\"\npreset = \"a\"\ncompute_capability = 70\nnvlink = \"150 GB/s\"\n"
      "[[gpu_like]]\npart = \"V100\"\npreset = \"b\"\n"
      "[[cluster_named]]\npart = \"Azure ND\"\npreset = \"c\"\n"
      "[[network_like]]\ntransport = \"tcpxo\"\ngeneration = 9\nnetwork = \"n\"\n",
      problems);
  EXPECT_EQ(problems.errors(), 0);
  ASSERT_EQ(found.gpus.size(), 2u);
  EXPECT_EQ(found.gpus[0].part, "V100SXM");
  EXPECT_EQ(found.gpus[0].compute_capability, 70);
  EXPECT_EQ(found.gpus[0].nvlink.value, 150e9);
  EXPECT_EQ(found.gpus[1].nvlink.value, 0.0);
  ASSERT_EQ(found.clusters.size(), 1u);
  EXPECT_EQ(found.clusters[0].part, "AZUREND");
  ASSERT_EQ(found.networks.size(), 1u);
  EXPECT_EQ(found.networks[0].transport, Transport::tcpxo);
}

TEST(StandIns, SayWhereTheyAreWrong) {
  Problems problems;
  static_cast<void>(
      read("[[gpu_like]]\npart = \"V100\"\n"
           "[[network_like]]\ntransport = \"pigeon\"\ngeneration = 9\nnetwork = \"n\"\n",
           problems));
  EXPECT_EQ(problems.errors(), 2);
}

// A part that holds an earlier one would never be asked.
TEST(StandIns, OfTheCatalogAreAllReached) {
  const CatalogInputs known = read_catalog({support::source_dir() + "/sweeps/catalog"});
  const std::vector<GpuLike>& gpus = known.stand_ins.gpus;
  EXPECT_GE(gpus.size(), 14u);
  for (std::size_t i = 0; i < gpus.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(gpus[i].part.find(gpus[j].part), std::string::npos) << gpus[i].part << ", " << gpus[j].part;
  EXPECT_EQ(known.stand_ins.networks.size(), 4u);
}

}  // namespace
}  // namespace echo::config
