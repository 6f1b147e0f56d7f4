#include "config/catalog/dimension_keys.hpp"

#include <toml++/toml.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine_files/cluster_text.hpp"

namespace echo::config {
namespace {

using ::testing::HasSubstr;

ClusterFile read(const std::string& text, Problems& problems) {
  const auto root = parse_toml(text, "m.toml", problems);
  if (!root) return {};
  TableReader reader(*root, {"m.toml", 1, 1, 1}, "cluster \"m\"", problems);
  return read_cluster(reader);
}

machine_files::AstraMachine machine() {
  Problems problems;
  auto read = machine_files::read_astra_network(
      "topology: [ Ring, FullyConnected, Switch, Mesh ]\nnpus_count: [ 4, 3, 8, 2 ]\n"
      "bandwidth: [ 50.0, 3.3, 0.7, 400 ]\nlatency: [ 500.0, 0.5, 936.25, 1 ]\n",
      "n", problems);
  machine_files::read_astra_system(
      "{ \"preferred-dataset-splits\": 8, \"active-chunks-per-dimension\": 3, \"scheduling-policy\": "
      "\"LIFO\", "
      "\"all-reduce-implementation\": [\"doubleBinaryTree\", \"direct2\", \"halvingDoubling\", \"ring\"], "
      "\"local-mem-bw\": 1234.5, \"endpoint-delay\": 7, \"inter-dimension-scheduling\": \"offlineGreedy\" }",
      "s", read, problems);
  EXPECT_EQ(problems.errors(), 0);
  return read;
}

// What is written of a machine reads as that machine.
TEST(DimensionKeys, AreWhatIsWrittenOfAMachine) {
  machine_files::AstraMachine written = machine();
  written.machine.sharing = machine::LinkSharing::aware;
  Problems problems;
  const ClusterFile file =
      read(machine_files::cluster_text(written, {"m", "h100-sxm", "default-h100", "n, s"}), problems);
  ASSERT_EQ(problems.errors(), 0) << problems.list().front().what;
  EXPECT_EQ(file.spec.dimensions, written.machine);
  EXPECT_EQ(file.spec.scale_up_domain, 4);
  EXPECT_EQ(file.spec.nodes * file.spec.gpus_per_node, 4 * 3 * 8 * 2);
}

// The text with one line changed.
std::vector<std::string> complaints_about(const std::string& from, const std::string& to) {
  std::string text = machine_files::cluster_text(machine(), {"m", "h100-sxm", "default-h100", "n, s"});
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Problems problems;
  static_cast<void>(read(text, problems));
  std::vector<std::string> out;
  for (const Problem& one : problems.list()) {
    EXPECT_GT(one.place.line, 0);
    out.push_back(one.what);
  }
  return out;
}

TEST(DimensionKeys, NameWhatIsWrong) {
  for (const auto& [from, to, what] :
       {std::tuple{"scale_up_domain = 4", "scale_up_domain = 6", "no dimension of cluster \"m\" ends at"},
        {"nodes           = 48", "nodes = 7", "hold 192 GPUs, its nodes do not"},
        {"size = 4", "size = 1", "size"},
        {"kind = \"Ring\"", "kind = \"Bus\"", "kind"},
        {"all_reduce = \"halving_doubling\"", "all_to_all = \"halving_doubling\"", "does no all_to_all"},
        {"all_reduce = \"double_binary_tree\"", "all_gather = \"double_binary_tree\"",
         "does all_reduce only"},
        {"all_reduce = \"direct\"", "all_reduce = \"halving_doubling\"", "needs a power of two"},
        {"link_latency = \"500 ns\"", "link_latency = 500", "link_latency"},
        {"queue = \"lifo\"", "queue = \"last\"", "queue"},
        {"chunks = 8", "chunk = 8", "chunk"}}) {
    const auto told = complaints_about(from, to);
    ASSERT_FALSE(told.empty()) << from;
    EXPECT_THAT(told, ::testing::Contains(HasSubstr(what))) << from;
  }
}

}  // namespace
}  // namespace echo::config
