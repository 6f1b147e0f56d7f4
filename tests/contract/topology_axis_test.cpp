// The words of the axis are the plug-ins, but for the one that only a cluster's own file can fill.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/topology.hpp"
#include "training/axis.hpp"

namespace echo {
namespace {

TEST(TopologyAxis, NamesEveryTopology) {
  std::vector<std::string> expected{"cluster"};
  for (const machine::Topology* topology : machine::topology_table())
    if (std::string(topology->name) != "file") expected.emplace_back(topology->name);
  const auto words = training::member_of(training::Axis::topology).words;
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), expected);
}

}  // namespace
}  // namespace echo
