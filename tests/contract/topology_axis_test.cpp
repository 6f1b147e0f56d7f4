// The words of the axis are the plug-ins, but for the one that only a cluster's own file can fill.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/topology.hpp"
#include "training/axis.hpp"

namespace echo {
namespace {

TEST(TopologyAxis, NamesEveryTopologyByItsCode) {
  const auto words = training::member_of(training::Axis::topology).words;
  std::vector<std::string> expected(words.size());
  expected[0] = "cluster";
  for (const machine::Topology* topology : machine::topology_table())
    if (topology->code > 0) expected.at(static_cast<std::size_t>(topology->code)) = topology->name;
  EXPECT_EQ(std::vector<std::string>(words.begin(), words.end()), expected);
}

}  // namespace
}  // namespace echo
