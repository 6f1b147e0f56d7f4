#include "congestion/packet_links.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/named_table.hpp"
#include "machine/graph_parts.hpp"
#include "network/flow_links.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::congestion {
namespace {

using machine::ClusterSpec;
using machine::CongestionControl;
using machine::GroupSpan;
using machine::Routing;
using network::Traffic;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
const machine::GpuSpec gpu;

ClusterSpec cluster(const char* topology, double oversubscription, CongestionControl control,
                    Routing routing = Routing::adaptive) {
  ClusterSpec c;
  c.scale_up = {BytesPerSecond(450e9), SimTime(100'000)};
  c.scale_out = {BytesPerSecond(50e9), SimTime(600'000)};
  c.topology = machine::TopologyId(find_named(machine::topology_table(), topology));
  c.oversubscription = oversubscription;
  c.nodes_per_leaf = 2;
  c.fabric = machine::Fabric::roce;
  c.routing = routing;
  c.congestion_control = control;
  return c;
}

GroupSpan span(std::int32_t nodes, std::int32_t per_node) {
  const std::int32_t stride = 8 / per_node;
  return {.ranks = nodes * per_node,
          .nodes = nodes,
          .ranks_per_node = per_node,
          .stride = stride,
          .sharing = stride};
}

double by_flows(const GroupSpan& s, Traffic traffic, const ClusterSpec& c) {
  return network::flow_links(s, traffic, machine::links_of(s, c, gpu), c, 1).scale_out.bandwidth.value;
}

double by_packets(const GroupSpan& s, Traffic traffic, const ClusterSpec& c, std::int64_t bytes) {
  PacketLinks packets(s, traffic, c, 1);
  return packets.links(machine::links_of(s, c, gpu), bytes).scale_out.bandwidth.value;
}

// Flows of a ring below one leaf meet nobody: fluids and packets agree, but for the last packet.
TEST(PacketLinks, AreThoseOfFlowsWhereNothingIsShared) {
  for (const CongestionControl control : {CongestionControl::dcqcn, CongestionControl::none,
                                          CongestionControl::swift, CongestionControl::dctcp}) {
    const ClusterSpec c = cluster("single_switch", 1.0, control);
    const double flows = by_flows(span(4, 8), {}, c), packets = by_packets(span(4, 8), {}, c, 64 * mebibyte);
    EXPECT_LE(packets, flows * 1.000001) << static_cast<int>(control);
    EXPECT_GE(packets, flows * 0.99) << static_cast<int>(control);
  }
}

// Long flows over thin uplinks share them as fluids do.
TEST(PacketLinks, ComeNearFlowsOnThinUplinks) {
  for (const Routing routing : {Routing::adaptive, Routing::minimal, Routing::ecmp}) {
    if (support::is_sanitized && routing == Routing::ecmp) continue;  // half a million packets
    const ClusterSpec c = cluster("fat_tree", 4.0, CongestionControl::none, routing);
    const double flows = by_flows(span(8, 8), {}, c), packets = by_packets(span(8, 8), {}, c, 64 * mebibyte);
    EXPECT_NEAR(packets / flows, 1.0, 0.08) << static_cast<int>(routing);
  }
}

TEST(PacketLinks, OfShortFlowsLoseToTheStartOfCongestionControl) {
  const ClusterSpec c = cluster("fat_tree", 4.0, CongestionControl::hpcc, Routing::ecmp);
  PacketLinks packets(span(8, 8), {}, c, 1);
  double before = 0.0;
  for (std::int64_t bytes = 1 << 12; bytes <= 1 << 24; bytes *= 4) {
    const double now = packets.seconds(bytes);
    EXPECT_GT(now, before) << bytes;
    before = now;
  }
}

TEST(PacketLinks, LieBetweenThoseOfTheNeighbouringPowersOfTwo) {
  const ClusterSpec c = cluster("fat_tree", 2.0, CongestionControl::dcqcn, Routing::ecmp);
  PacketLinks packets(span(4, 8), {}, c, 1);
  const double low = packets.seconds(mebibyte), high = packets.seconds(2 * mebibyte);
  EXPECT_DOUBLE_EQ(packets.seconds(mebibyte * 3 / 2), (low + high) / 2.0);
  PacketLinks again(span(4, 8), {}, c, 1);
  EXPECT_EQ(again.seconds(2 * mebibyte), high) << "the order of questions matters";
}

// A large size reuses the packets of a smaller one.
TEST(PacketLinks, DoNotDependOnTheOrderOfQuestions) {
  const ClusterSpec c = cluster("fat_tree", 4.0, CongestionControl::dctcp, Routing::ecmp);
  const std::vector<std::int64_t> sizes{mebibyte * 64, mebibyte / 16, mebibyte * 1024, mebibyte,
                                        mebibyte * 16};
  PacketLinks one(span(4, 8), {}, c, 1), other(span(4, 8), {}, c, 1);
  std::map<std::int64_t, double> seconds;
  for (const std::int64_t size : sizes) seconds[size] = one.seconds(size);
  for (const auto& [size, expected] : seconds) EXPECT_EQ(other.seconds(size), expected) << size;
}

// Keeps what was worked out, by question.
class Answers : public PacketAnswers {
 public:
  PacketAnswer answer(const Hash128& question, const std::function<PacketAnswer()>& work_out) override {
    const auto [entry, is_new] = known.try_emplace(question);
    if (is_new) entry->second = work_out();
    return entry->second;
  }
  std::map<Hash128, PacketAnswer> known;
};

TEST(PacketLinks, SimulateNothingThatIsKnown) {
  const ClusterSpec c = cluster("fat_tree", 4.0, CongestionControl::dcqcn, Routing::ecmp);
  Answers answers;
  const machine::GroupLinks closed = machine::links_of(span(4, 8), c, gpu);
  PacketLinks alone(span(4, 8), {}, c, 1), first(span(4, 8), {}, c, 1, packet_budget, {&answers, {}}),
      second(span(4, 8), {}, c, 1, packet_budget, {&answers, {}});
  const machine::GroupLinks links = alone.links(closed, 3 * mebibyte);
  EXPECT_EQ(first.links(closed, 3 * mebibyte), links);
  EXPECT_EQ(second.links(closed, 3 * mebibyte), links);
  EXPECT_TRUE(second.runs().empty());
  EXPECT_EQ(answers.known.size(), 2U) << "powers of two";
}

TEST(PacketLinks, AreTheClosedFormInsideANode) {
  const ClusterSpec c = cluster("fat_tree", 4.0, CongestionControl::dcqcn);
  const GroupSpan s{.ranks = 8, .nodes = 1, .ranks_per_node = 8};
  PacketLinks packets(s, {}, c, 1);
  EXPECT_TRUE(packets.is_plain());
  EXPECT_EQ(packets.links(machine::links_of(s, c, gpu), mebibyte), machine::links_of(s, c, gpu));
}

// The rails of a rail-optimized machine share no link, and are all alike.
TEST(FabricParts, AreSimulatedOnceForAllThatAreAlike) {
  const ClusterSpec c = cluster("rail_optimized", 1.0, CongestionControl::dcqcn);
  PacketLinks packets(span(2, 8), {}, c, 1);
  EXPECT_TRUE(packets.runs().empty()) << "nothing was asked";
  EXPECT_GT(packets.seconds(mebibyte), 0.0);
  EXPECT_EQ(packets.runs().size(), 1U);
}

// Fluids after steady rates end when packets do: the criterion's error.
TEST(PartRun, EndsAsFluidsWhenPacketsDo) {
  if (support::is_sanitized) GTEST_SKIP() << "whole runs by packets take too long";
  for (const CongestionControl control :
       {CongestionControl::dcqcn, CongestionControl::hpcc, CongestionControl::timely,
        CongestionControl::swift, CongestionControl::dctcp, CongestionControl::none}) {
    const ClusterSpec c = cluster("fat_tree", 4.0, control, Routing::ecmp);
    machine::NetworkGraph graph;
    machine::topology_of(c).build(c, 4, graph);
    const PacketSettings settings = packet_settings(c, 400'000'000'000, SimTime(600'000));
    network::Router router(graph, c.routing, 1);
    const auto phases = network::side_by_side(span(4, 8), {}, 1'000'000, 8);
    const auto parts =
        parts_of(graph, router, phases.transfers, network::slots_of(graph, false, 1), settings).parts;
    for (const FabricPart& part : parts) {
      PartRun whole(part, settings, 0), continued(part, settings);
      const double exact = to_seconds(whole.time(16 * mebibyte));
      const double fluid = to_seconds(continued.time(16 * mebibyte));
      EXPECT_NEAR(fluid / exact, 1.0, 0.05)
          << machine::congestion_control_names[at(control)] << ", " << part.flows.size() << " flows";
    }
  }
}

// A budget that ends a run anywhere: before a flow has sent a packet, before any is answered, after some have
// ended. No flow is faster than its NIC, and every one ends.
TEST(PartRun, EndsWhereverItsPacketsAreGivenUp) {
  const char* const topologies[] = {"fat_tree", "rail_optimized", "fat_tree_3", "single_switch", "dragonfly"};
  const int draws = support::is_sanitized ? 20 : 400;
  std::mt19937 random(7);
  const auto any = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < draws; ++i) {
    const auto control = static_cast<CongestionControl>(any(6));
    ClusterSpec c = cluster(topologies[any(5)], 1.0 + any(4), control, static_cast<Routing>(any(4)));
    if (any(2) == 0) c.fabric = machine::Fabric::infiniband;
    Traffic traffic{.scattered = any(2) == 0};
    if (any(2) == 0)
      traffic.kind = any(2) == 0 ? ops::CollectiveKind::all_to_all : ops::CollectiveKind::send_recv;
    const GroupSpan s = span(2 + any(3), 1 << any(4));
    const std::int64_t budget = std::int64_t{1} << any(15), bytes = std::int64_t{1} << (12 + any(14));
    PacketLinks packets(s, traffic, c, 1, budget);
    if (packets.is_plain()) continue;
    const double seconds = packets.seconds(bytes), more = packets.seconds(4 * bytes);
    EXPECT_GE(seconds, static_cast<double>(bytes) / 50e9 * (1.0 - 1e-9)) << i;
    EXPECT_LT(more, 2.0) << i;
  }
}

// A budget that is spent long before rates are steady: all-to-alls of many short flows.
TEST(PartRun, GivenUpEarlyComesNearPacketsAlone) {
  if (support::is_sanitized) GTEST_SKIP() << "whole runs by packets take too long";
  for (const CongestionControl control :
       {CongestionControl::dcqcn, CongestionControl::hpcc, CongestionControl::none})
    for (const Routing routing : {Routing::adaptive, Routing::ecmp}) {
      const ClusterSpec c = cluster("fat_tree", 4.0, control, routing);
      const Traffic all{.kind = ops::CollectiveKind::all_to_all, .scattered = true};
      PacketLinks whole(span(8, 1), all, c, 1, 0), early(span(8, 1), all, c, 1, 200'000);
      EXPECT_NEAR(early.seconds(mebibyte / 4) / whole.seconds(mebibyte / 4), 1.0, 0.2)
          << static_cast<int>(control) << ", " << static_cast<int>(routing);
    }
}

}  // namespace
}  // namespace echo::congestion
