#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine_files/cluster_text.hpp"

namespace echo::machine_files {
namespace {

using machine::DimensionAlgorithm;
using machine::DimensionKind;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* network = R"(# comment
topology: [ Ring, FullyConnected, Switch ]  # from the GPU outwards
npus_count: [ 2, 8, 4 ]
bandwidth: [ 200.0, 100.0, 50.0 ]  # GB/s
latency: [ 50.0, 500.0, 2000.0 ]  # ns
)";
constexpr const char* system_file = R"({
    "scheduling-policy": "LIFO",
    "endpoint-delay": 10,
    "active-chunks-per-dimension": 2,
    "preferred-dataset-splits": 4,
    "all-reduce-implementation": ["ring", "direct", "doubleBinaryTree"],
    "all-gather-implementation": ["ring", "direct3", "halvingDoubling"],
    "collective-optimization": "localBWAware",
    "local-mem-bw": 1600,
    "boost-mode": 0,
    "something-else": 1
})";

AstraMachine both(const std::string& net, const std::string& system, Problems& problems) {
  AstraMachine out = read_astra_network(net, "net.yml", problems);
  if (problems.errors() == 0) read_astra_system(system, "sys.json", out, problems);
  return out;
}

TEST(AstraMachine, IsWhatItsFilesSay) {
  Problems problems;
  const AstraMachine read = both(network, system_file, problems);
  ASSERT_EQ(problems.errors(), 0);
  const machine::GivenMachine& m = read.machine;
  ASSERT_EQ(m.dimensions.size(), 3U);
  EXPECT_EQ(m.dimensions[1].kind, DimensionKind::fully_connected);
  EXPECT_EQ(m.dimensions[1].size, 8);
  EXPECT_EQ(m.dimensions[1].link, BytesPerSecond(100.0 * (1 << 30)));
  EXPECT_EQ(m.dimensions[2].link_latency, std::chrono::nanoseconds(2000));
  EXPECT_EQ(m.dimensions[2].algorithm[0].algorithm, DimensionAlgorithm::double_binary_tree);
  EXPECT_EQ(m.dimensions[1].algorithm[1], (machine::AlgorithmChoice{DimensionAlgorithm::direct, 3}));
  EXPECT_EQ(m.dimensions[0].algorithm[3].algorithm, DimensionAlgorithm::fastest);
  EXPECT_EQ(m.chunks, 4);
  EXPECT_EQ(m.active_chunks, 2);
  EXPECT_TRUE(m.lifo);
  EXPECT_FALSE(m.whole_all_reduce);
  EXPECT_EQ(m.endpoint_delay, std::chrono::nanoseconds(10));
  EXPECT_EQ(m.reduction_memory, BytesPerSecond(1600e9));
  EXPECT_THAT(read.notes, Contains(HasSubstr("something-else")));
}

TEST(AstraMachine, MeshesAreOpenAndTorusesClose) {
  Problems problems;
  const AstraMachine read = read_astra_network(
      "topology: [Torus2D, Mesh]\nnpus_count: [16, 3]\nbandwidth: [1, 2]\nlatency: [0, 1]\n", "n", problems);
  ASSERT_EQ(read.machine.dimensions.size(), 3U);
  EXPECT_EQ(read.machine.dimensions[0].kind, DimensionKind::ring);
  EXPECT_EQ(read.machine.dimensions[1].size, 4);
  EXPECT_EQ(read.machine.dimensions[2].kind, DimensionKind::line);
}

// file:line:column of every mistake of a file, in one pass.
TEST(AstraMachine, NamesEveryMistakeByItsPlace) {
  Problems problems;
  static_cast<void>(read_astra_network(
      "topology: [ Ring, Bus ]\nnpus_count: [ 4, 1 ]\nbandwidth: [ 50.0, fast ]\nlatency: [ 500.0 ]\n",
      "n.yml", problems));
  ASSERT_EQ(problems.errors(), 4);
  const auto has = [&](std::int32_t line, std::int32_t column, const std::string& what) {
    return std::ranges::any_of(problems.list(), [&](const Problem& one) {
      return one.place.line == line && one.place.column == column && one.what.find(what) != std::string::npos;
    });
  };
  EXPECT_TRUE(has(1, 19, "\"Bus\" is not a topology"));
  EXPECT_TRUE(has(2, 18, "\"1\" is not a number of GPUs"));
  EXPECT_TRUE(has(3, 20, "\"fast\" is not a bandwidth"));
  EXPECT_TRUE(has(4, 12, "latency has 1 members, topology 2"));
}

TEST(AstraMachine, RefusesWhatAstraSimStopsAt) {
  const std::string net = "topology: [ Ring ]\nnpus_count: [ 6 ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n";
  for (const auto& [line, what] :
       {std::pair{"\"all-reduce-implementation\": [\"halvingDoubling\"]", "needs a power of two"},
        {"\"all-to-all-implementation\": [\"doubleBinaryTree\"]", "all-reduces only"},
        {"\"all-gather-implementation\": [\"rings\"]", "is not an algorithm"},
        {"\"all-gather-implementation\": [\"oneRing\"]", "over all dimensions"},
        {"\"all-gather-implementation\": [\"directX\"]", "for its window"},
        {"\"all-gather-implementation\": [\"ring\", \"ring\"]", "2 members, the network 1"},
        {"\"scheduling-policy\": \"RANDOM\"", "is not a scheduling-policy"},
        {"\"local-mem-bw\": \"much\"", "is not a number"},
        {"\"active-chunks-per-dimension\": 0", "whole number"},
        {"\"model-shared-bus\": 1", "is not simulated"}}) {
    Problems problems;
    static_cast<void>(both(net, "{ \"preferred-dataset-splits\": 4, " + std::string(line) + " }", problems));
    ASSERT_EQ(problems.errors(), 1) << line;
    EXPECT_THAT(problems.list().front().what, HasSubstr(what));
    EXPECT_EQ(problems.list().front().place.line, 1);
    EXPECT_GT(problems.list().front().place.column, 30);
  }
  Problems problems;
  static_cast<void>(both(net, "{ \"endpoint-delay\": 1 }", problems));
  EXPECT_THAT(problems.list().front().what, HasSubstr("no preferred-dataset-splits"));
}

TEST(ClusterText, SaysTheMachine) {
  Problems problems;
  const std::string text =
      cluster_text(both(network, system_file, problems), {"mine", "h100-sxm", "default-h100", "n, s"});
  EXPECT_THAT(text, HasSubstr("{ kind = \"Ring\", size = 2, link_one_way = \"214.7483648 GB/s\""));
  EXPECT_THAT(text, HasSubstr("all_gather = \"direct\", all_gather_window = 3"));
  EXPECT_THAT(text, HasSubstr("queue = \"lifo\""));
  EXPECT_THAT(text, HasSubstr("# \"something-else\" of the system is not taken over"));
}

}  // namespace
}  // namespace echo::machine_files
