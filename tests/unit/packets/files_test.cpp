// Topology, flow and path files: what they mean, and that one pass reports every problem with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packets/files/flow_file.hpp"
#include "packets/files/topology_file.hpp"

namespace echo::packets {
namespace {

constexpr const char* two_hosts = "3 1 2\n2\n2 0 100Gbps 1us 0\n2 1 400Gbps 0.5us 0\n";

std::vector<std::string> told(const Problems& problems) {
  std::vector<std::string> lines;
  for (const Problem& one : problems.list())
    lines.push_back(std::to_string(one.place.line) + ":" + std::to_string(one.place.column) + " " + one.what);
  return lines;
}

TEST(TopologyFile, ReadsNodesAndLinks) {
  Problems problems;
  const Fabric fabric = read_topology(two_hosts, "t", problems);
  EXPECT_EQ(problems.errors(), 0);
  EXPECT_EQ(fabric.nodes(), 3);
  EXPECT_FALSE(fabric.is_host(2));
  EXPECT_EQ(fabric.links[1].bits_per_second, 400'000'000'000);
  EXPECT_EQ(fabric.links[1].delay.count(), 500'000);
  EXPECT_EQ(fabric.sender(2), 2);
  EXPECT_EQ(fabric.receiver(2), 1);
}

TEST(TopologyFile, ReportsEveryProblem) {
  Problems problems;
  static_cast<void>(
      read_topology("3 1 3\n2\n2 0 100Gpbs 1us 0\n2 7 100Gbps 1 2\n2 2 1Gbps 1us 0\n", "t", problems));
  EXPECT_THAT(told(problems), testing::UnorderedElementsAre(testing::HasSubstr("3:5 \"100Gpbs\""),
                                                            testing::HasSubstr("4:3 \"7\" is not a node"),
                                                            testing::HasSubstr("4:13 \"1\" cannot"),
                                                            testing::HasSubstr("4:15 \"2\" is not an error"),
                                                            testing::HasSubstr("joins node 2 to itself")));
}

TEST(TopologyFile, SaysWhereItEnds) {
  Problems problems;
  static_cast<void>(read_topology("3 1 3\n2\n2 0 1Gbps 1us 0\n", "t", problems));
  EXPECT_THAT(told(problems), testing::ElementsAre(testing::HasSubstr("ends after 1 of 3 links")));
}

class FlowFiles : public testing::Test {
 protected:
  FlowFile read(const std::string& text) { return read_flows(text, "f", fabric_, routes_, problems_); }
  Problems problems_;
  Fabric fabric_ = read_topology(two_hosts, "t", problems_);
  Routes routes_{fabric_};
};

TEST_F(FlowFiles, ReadFlowsAndWhatStartsThem) {
  const FlowFile file = read("2\n7 0 1 3 100 1000 50 -1\n9 1 0 3 100 2000 0 7\n");
  EXPECT_EQ(problems_.errors(), 0);
  EXPECT_EQ(file.ids, (std::vector<std::int64_t>{7, 9}));
  EXPECT_EQ(file.flows[0].start.count(), 50'000);
  EXPECT_EQ(file.flows[1].after, 0);
}

TEST_F(FlowFiles, ReportEveryProblem) {
  static_cast<void>(
      read("4\n0 0 2 3 100 1000 0 -1\n1 0 1 0 100 0 0 -1\n2 0 1 3 100 10 0 8\n3 0 1 3 100 10 0 3\n"));
  EXPECT_THAT(told(problems_),
              testing::UnorderedElementsAre(testing::HasSubstr("2:3 no flow can go from 0 to 2"),
                                            testing::HasSubstr("3:7 \"0\" is not a priority"),
                                            testing::HasSubstr("3:13 \"0\" is not a size"),
                                            testing::HasSubstr("4:3 the flow waits for flow 8"),
                                            testing::HasSubstr("waits for its own end")));
}

TEST_F(FlowFiles, CountTheirFlows) {
  static_cast<void>(read("3\n0 0 1 3 100 10 0 -1\n"));
  EXPECT_THAT(told(problems_), testing::ElementsAre(testing::HasSubstr("fewer follow")));
}

TEST_F(FlowFiles, TakeThePathsOfTheirCase) {
  FlowFile file = read("1\n0 0 1 3 100 10 0 -1\n");
  read_paths("case,flow,node_path\nother,0,9-9\nmine,0,0-2-1\n", "p", "mine", fabric_, file, problems_);
  EXPECT_EQ(problems_.errors(), 0);
  EXPECT_EQ(file.flows[0].nodes, (std::vector<std::int32_t>{0, 2, 1}));
}

TEST_F(FlowFiles, RefusePathsThatAreNone) {
  FlowFile file = read("1\n0 0 1 3 100 10 0 -1\n");
  read_paths("flow,node_path\n0,0-1\n0,1-2-0\n5,0-2-1\n0,0-2-x\n", "p", "any", fabric_, file, problems_);
  EXPECT_THAT(told(problems_), testing::ElementsAre(testing::HasSubstr("share no link"),
                                                    testing::HasSubstr("does not lead from host 0"),
                                                    testing::HasSubstr("not in the flow file"),
                                                    testing::HasSubstr("no list of nodes")));
  Problems none;
  read_paths("case,flow,node_path\nother,0,0-2-1\n", "p", "mine", fabric_, file, none);
  EXPECT_THAT(told(none), testing::ElementsAre(testing::HasSubstr("no path is of the case \"mine\"")));
}

}  // namespace
}  // namespace echo::packets
