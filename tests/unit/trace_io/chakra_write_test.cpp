#include "trace_io/chakra/chakra_write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/at.hpp"
#include "tests/support/chakra_files.hpp"
#include "tests/unit/trace_io/complaints.hpp"
#include "trace_io/format.hpp"

namespace echo::trace_io {
namespace {

using namespace echo::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using trace::GroupRole;
using trace::Node;
using trace::NodeKind;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Two stages of two tensor ranks: ranks 0 and 2 are traced and stand for 1 and 3.
class TwoStages {
 public:
  TwoStages() {
    trace_.name = "step";
    trace_.world = 4;
    trace_.names = {"gemm", "reduce", "hop", "sync"};
    trace_.groups = {{"tp a", GroupRole::tensor, {0, 1}},
                     {"tp b", GroupRole::tensor, {2, 3}},
                     {"pp a", GroupRole::pipeline, {0, 2}},
                     {"pp b", GroupRole::pipeline, {1, 3}}};
    add_rank(0, 0, NodeKind::send, 2);
    add_rank(2, 1, NodeKind::recv, 0);
  }
  [[nodiscard]] trace::Trace& trace() { return trace_; }
  // As it stands after it was written and read.
  [[nodiscard]] trace::Trace reread() const {
    const TempFolder out;
    write_chakra(trace_, out.path.string());
    return read_trace({out.path.string(), {}}, "chakra");
  }

 private:
  void add_rank(std::int32_t rank, std::int32_t tensor_group, NodeKind hop, std::int32_t peer) {
    trace::RankTrace one;
    one.rank = rank;
    one.stands_for = {rank, rank + 1};
    const auto add = [&](Node node, std::vector<std::int32_t> needs) {
      node.id = static_cast<std::int64_t>(one.nodes.size());
      one.nodes.push_back(node);
      for (const std::int32_t earlier : needs) one.needs.push(earlier);
      one.needs.close_row(), one.follows.close_row();
    };
    add({.kind = NodeKind::compute, .name = 0, .duration = SimTime(1'600'000)}, {});
    add({.kind = NodeKind::collective,
         .collective = ops::CollectiveKind::all_gather,
         .name = 1,
         .stream = 1,
         .group = tensor_group,
         .bytes = Bytes(1000)},
        {0});
    add({.kind = NodeKind::compute, .name = 0, .duration = SimTime(1'600'000)}, {});
    add({.kind = hop,
         .collective = ops::CollectiveKind::send_recv,
         .name = 2,
         .stream = 2,
         .group = 2,
         .peer = peer,
         .tag = 4,
         .bytes = Bytes(64)},
        {2});
    add({.kind = NodeKind::wait, .name = 3, .duration = SimTime::zero()}, {1});
    add({.kind = NodeKind::compute, .name = 0, .duration = SimTime(1'600'000)}, {});
    trace_.ranks.push_back(one);
  }
  trace::Trace trace_;
};

TEST(WriteChakra, GivesEachRankItsOwnGroupsAndPeers) {
  const trace::Trace again = TwoStages().reread();
  ASSERT_THAT(again.ranks, SizeIs(4));
  const auto members = [&](int rank, int node) {
    return again.groups[at(again.ranks[at(rank)].nodes[at(node)].group)].ranks;
  };
  EXPECT_THAT(members(1, 1), ElementsAre(0, 1));
  EXPECT_THAT(members(3, 1), ElementsAre(2, 3));
  EXPECT_EQ(again.ranks[0].nodes[3].peer, 2);
  EXPECT_EQ(again.ranks[1].nodes[3].peer, 3);
  EXPECT_EQ(again.ranks[3].nodes[3].peer, 1);
  EXPECT_EQ(again.ranks[3].nodes[3].tag, 4);
}

TEST(WriteChakra, SaysStreamsAndWaitsAsDependencies) {
  const trace::RankTrace rank = TwoStages().reread().ranks[0];
  EXPECT_THAT(rank.follows.row(1), IsEmpty());          // needs the op before it on the other stream
  EXPECT_THAT(rank.follows.row(2), ElementsAre(0));     // behind it on its stream
  EXPECT_THAT(rank.follows.row(5), ElementsAre(2, 4));  // and behind the wait
}

TEST(WriteChakra, KeepsWhatReplayNeeds) {
  TwoStages stages;
  const trace::Trace again = stages.reread();
  for (std::size_t i = 0; i < 6; ++i) {
    Node expected = stages.trace().ranks[0].nodes[i], found = again.ranks[0].nodes[i];
    expected.name = found.name, expected.group = found.group;
    EXPECT_EQ(found, expected) << i;
  }
}

TEST(WriteChakra, KeepsTheGpuTheRolesAndTheKernels) {
  TwoStages stages;
  stages.trace().gpu = "h100-sxm";
  stages.trace().kernels = {{.kind = ops::KernelKind::gemm, .m = 128, .n = 64, .k = 32},
                            {.kind = ops::KernelKind::gemm, .m = 16, .n = 8, .k = 4}};
  for (trace::RankTrace& rank : stages.trace().ranks) rank.nodes[0].kernel = 1, rank.nodes[5].kernel = 0;
  const trace::Trace again = stages.reread();
  EXPECT_EQ(again.gpu, "h100-sxm");
  ASSERT_THAT(again.ranks, SizeIs(4));
  for (const trace::RankTrace& rank : again.ranks) {
    EXPECT_EQ(again.kernels[at(rank.nodes[0].kernel)], stages.trace().kernels[1]);
    EXPECT_EQ(rank.nodes[2].kernel, -1);
    EXPECT_EQ(again.kernels[at(rank.nodes[5].kernel)], stages.trace().kernels[0]);
    EXPECT_EQ(again.groups[at(rank.nodes[1].group)].role, GroupRole::tensor);
    EXPECT_EQ(again.groups[at(rank.nodes[3].group)].role, GroupRole::pipeline);
  }
}

TEST(WriteChakra, KeepsGroupsOfAllRanksApartWhereTheirRolesDiffer) {
  TwoStages stages;
  stages.trace().groups.push_back({"world", GroupRole::data, {0, 1, 2, 3}});
  stages.trace().groups.push_back({"fsdp", GroupRole::shard, {0, 1, 2, 3}});
  for (trace::RankTrace& rank : stages.trace().ranks) rank.nodes[1].group = 4, rank.nodes[3].group = 5;
  const trace::Trace again = stages.reread();
  const auto role = [&](int node) { return again.groups[at(again.ranks[1].nodes[at(node)].group)].role; };
  EXPECT_EQ(role(1), GroupRole::data);
  EXPECT_EQ(role(3), GroupRole::shard);
}

TEST(WriteChakra, WritesTheSameRankByRank) {
  const TempFolder whole, pieces;
  TwoStages stages;
  write_chakra(stages.trace(), whole.path.string());
  trace::Trace tables = stages.trace();
  tables.ranks.clear();
  write_chakra_ranks(tables, ranks_of(stages.trace()), pieces.path.string());
  for (const auto& entry : std::filesystem::directory_iterator(whole.path))
    EXPECT_EQ(bytes_of(entry.path()), bytes_of(pieces.path / entry.path().filename())) << entry.path();
}

TEST(WriteChakra, RoundsSumsAndNotEachDuration) {
  const TempFolder out;
  write_chakra(TwoStages().trace(), out.path.string());
  MessageStream stream((out.path / "step.0.et").string());
  std::string bytes;
  std::uint64_t sum = 0;
  ASSERT_TRUE(stream.next(bytes));
  while (stream.next(bytes)) {
    ChakraProtoMsg::Node node;
    ASSERT_TRUE(node.ParseFromString(bytes));
    sum += node.duration_micros();
  }
  EXPECT_EQ(sum, 5U);  // of 4.8; each alone would give 6
}

// Chakra leaves the communicator of all ranks unnamed: one of fewer may still be called so elsewhere.
TEST(WriteChakra, NumbersGroupsWhateverTheyAreCalled) {
  TwoStages stages;
  stages.trace().groups[0].name = "all";
  stages.trace().groups[1].name = "7";
  const trace::Trace again = stages.reread();
  EXPECT_EQ(again.groups[at(again.ranks[0].nodes[1].group)].name, "1");
  EXPECT_THAT(again.groups[at(again.ranks[0].nodes[1].group)].ranks, ElementsAre(0, 1));
  EXPECT_EQ(again.groups[at(again.ranks[2].nodes[1].group)].name, "7");
}

TEST(WriteChakra, AsksForDurations) {
  TwoStages stages;
  stages.trace().ranks[0].nodes[2].duration = SimTime(-1);
  EXPECT_THAT(complaints_about([&] { static_cast<void>(stages.reread()); }),
              ElementsAre(HasSubstr("node 2 (gemm) of rank 0 has no duration")));
}

TEST(WriteChakra, AsksForGroupsOfRanksStoodForBeforeItWrites) {
  TwoStages stages;
  stages.trace().groups.pop_back();
  const TempFolder out;
  EXPECT_THAT(complaints_about([&] { write_chakra(stages.trace(), out.path.string()); }), SizeIs(1));
  EXPECT_TRUE(std::filesystem::is_empty(out.path));
  EXPECT_THAT(complaints_about([&] { static_cast<void>(stages.reread()); }),
              ElementsAre(HasSubstr("rank 1 has no group like \"pp a\"")));
}

}  // namespace
}  // namespace echo::trace_io
