#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/chakra_files.hpp"
#include "tests/unit/trace_io/complaints.hpp"
#include "trace_io/astra/astra_step.hpp"
#include "trace_io/format.hpp"

namespace echo::trace_io {
namespace {

using namespace echo::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Three layers; `kind` is the first line.
std::string table(const std::string& kind, const std::string& forward = "NONE\t0",
                  const std::string& input = "NONE\t0") {
  return kind + "\n3\nconv1\t-1\t5\t" + forward + "\t4\t" + input +
         "\t3\tALLREDUCE\t37632\t10\nconv2\t-1\t7\t" + forward + "\t6\t" + input +
         "\t5\tALLREDUCE\t147456\t10\nfc\t-1\t9\t" + forward + "\t8\t" + input +
         "\t7\tALLREDUCE\t2048000\t10\n";
}

// "name<-needs" of every node.
std::vector<std::string> graph(const std::string& text) {
  const trace::Trace trace = step_of(read_astra_table(text, "t"), 4);
  const trace::RankTrace& rank = trace.ranks.front();
  std::vector<std::string> out;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(rank.nodes.size()); ++i) {
    out.push_back(trace.names[at(i)] + "<-");
    for (const std::int32_t earlier : rank.needs.row(i)) out.back() += std::to_string(earlier) + " ";
  }
  return out;
}

// As text_converter.py of mlcommons/chakra (commit 21585d8) makes it of this table: names, order, data_deps.
TEST(AstraText, DataIsTheConvertersGraph) {
  EXPECT_THAT(graph(table("DATA")),
              ElementsAre("COMP_NODE_conv1_FWD<-", "COMP_NODE_conv2_FWD<-0 ", "COMP_NODE_fc_FWD<-1 ",
                          "COMP_NODE_fc_BWD_WG<-2 ", "COMM_COLL_NODE_fc_ALLREDUCE<-3 ",
                          "COMP_NODE_fc_BWD_IG<-3 ", "COMP_NODE_conv2_BWD_WG<-5 ",
                          "COMM_COLL_NODE_conv2_ALLREDUCE<-6 ", "COMP_NODE_conv2_BWD_IG<-6 ",
                          "COMP_NODE_conv1_BWD_WG<-8 ", "COMM_COLL_NODE_conv1_ALLREDUCE<-9 "));
}

TEST(AstraText, ModelWaitsForEachCommunication) {
  EXPECT_THAT(graph(table("MODEL", "ALLGATHER\t64", "ALLREDUCE\t32")),
              ElementsAre("COMP_NODE_conv1_FWD<-", "COMM_COLL_NODE_conv1_ALLGATHER<-0 ",
                          "COMP_NODE_conv2_FWD<-1 ", "COMM_COLL_NODE_conv2_ALLGATHER<-2 ",
                          "COMP_NODE_fc_FWD<-3 ", "COMM_COLL_NODE_fc_ALLGATHER<-4 ",
                          "COMP_NODE_fc_BWD_IG<-5 ", "COMM_COLL_NODE_fc_ALLREDUCE<-6 ",
                          "COMP_NODE_fc_BWD_WG<-6 ", "COMP_NODE_conv2_BWD_IG<-8 7 ",
                          "COMM_COLL_NODE_conv2_ALLREDUCE<-9 ", "COMP_NODE_conv2_BWD_WG<-9 ",
                          "COMP_NODE_conv1_BWD_IG<-11 10 ", "COMP_NODE_conv1_BWD_WG<-12 "));
}

TEST(AstraText, NoCommunicationIsWaitedForByItsCompute) {
  EXPECT_THAT(
      graph(table("HYBRID_DATA_MODEL")),
      ElementsAre("COMP_NODE_conv1_FWD<-", "COMP_NODE_conv2_FWD<-0 ", "COMP_NODE_fc_FWD<-1 ",
                  "COMP_NODE_fc_BWD_IG<-2 ", "COMP_NODE_fc_BWD_WG<-3 ", "COMM_COLL_NODE_fc_ALLREDUCE<-4 ",
                  "COMP_NODE_conv2_BWD_IG<-4 ", "COMP_NODE_conv2_BWD_WG<-6 ",
                  "COMM_COLL_NODE_conv2_ALLREDUCE<-7 ", "COMP_NODE_conv1_BWD_IG<-7 ",
                  "COMP_NODE_conv1_BWD_WG<-9 ", "COMM_COLL_NODE_conv1_ALLREDUCE<-10 "));
}

TEST(AstraText, DlrmRunsTheFirstLayersAllToAllBeside) {
  std::string text = table("HYBRID_DLRM 1");
  text.replace(text.find("NONE\t0"), 6, "ALLTOALL\t512");  // forward of conv1
  text.replace(text.find("NONE\t0"), 6, "ALLTOALL\t512");  // and its gradient
  const auto nodes = graph(text);
  EXPECT_EQ(nodes[1], "COMM_COLL_NODE_conv1_ALLTOALL<-0 ");
  EXPECT_EQ(nodes[2], "COMP_NODE_conv2_FWD<-0 1 ");          // joins at layer 1
  EXPECT_EQ(nodes[7], "COMM_COLL_NODE_conv1_ALLTOALL<-6 ");  // behind fc's gradient
  EXPECT_EQ(nodes[11], "COMP_NODE_conv1_BWD_WG<-10 7 ");
}

// As iterate_hybrid_parallel_Transformer of ASTRA-sim 1.0 issues them: every input gradient is communicated.
TEST(AstraText, TransformersCommunicateWithinAndAcrossGroups) {
  const std::string text =
      table("HYBRID_TRANSFORMER model_parallel_NPU_group: 2", "ALLREDUCE\t64", "ALLREDUCE\t32");
  EXPECT_THAT(graph(text),
              ElementsAre("COMP_NODE_conv1_FWD<-", "COMM_COLL_NODE_conv1_ALLREDUCE<-0 ",
                          "COMP_NODE_conv2_FWD<-1 ", "COMM_COLL_NODE_conv2_ALLREDUCE<-2 ",
                          "COMP_NODE_fc_FWD<-3 ", "COMM_COLL_NODE_fc_ALLREDUCE<-4 ",
                          "COMP_NODE_fc_BWD_IG<-5 ", "COMM_COLL_NODE_fc_ALLREDUCE<-6 ",
                          "COMP_NODE_fc_BWD_WG<-6 ", "COMM_COLL_NODE_fc_ALLREDUCE<-8 ",
                          "COMP_NODE_conv2_BWD_IG<-8 7 ", "COMM_COLL_NODE_conv2_ALLREDUCE<-10 ",
                          "COMP_NODE_conv2_BWD_WG<-10 ", "COMM_COLL_NODE_conv2_ALLREDUCE<-12 ",
                          "COMP_NODE_conv1_BWD_IG<-12 11 ", "COMM_COLL_NODE_conv1_ALLREDUCE<-14 ",
                          "COMP_NODE_conv1_BWD_WG<-14 ", "COMM_COLL_NODE_conv1_ALLREDUCE<-16 "));
  const trace::Trace trace = step_of(read_astra_table(text, "t"), 8);
  ASSERT_EQ(trace.groups.size(), 2U);
  EXPECT_THAT(trace.groups[0].ranks, ElementsAre(0, 1));
  EXPECT_THAT(trace.groups[1].ranks, ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(trace.ranks.front().nodes[7].group, 0);
  EXPECT_EQ(trace.ranks.front().nodes[9].group, 1);
  EXPECT_THAT(complaints_about([&] { static_cast<void>(step_of(read_astra_table(text, "t"), 5)); }),
              ElementsAre(HasSubstr("group of 2 does not divide 5 ranks")));
}

TEST(AstraText, GoesForwardAgainFromACheckpoint) {
  const std::string kind =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 checkpoint_initiates: 1 "
      "2";
  const trace::Trace trace = step_of(read_astra_table(table(kind), "t"), 4);
  const auto nodes = graph(table(kind));
  EXPECT_EQ(nodes[3], "COMP_NODE_conv1_FWD<-2 ");  // behind the last forward
  EXPECT_EQ(nodes[4], "COMP_NODE_conv2_FWD<-3 ");
  EXPECT_EQ(nodes[5], "COMP_NODE_fc_BWD_IG<-4 ");
  EXPECT_EQ(trace.ranks.front().nodes[3].pass, trace::Pass::recompute);
  EXPECT_EQ(trace.ranks.front().nodes[5].pass, trace::Pass::backward);
}

TEST(AstraText, CustomizedLayersCommunicateAsTheirPolicySays) {
  const std::string text =
      "HYBRID_CUSTOMIZED\n2\na -1 5 ALLREDUCE 64 4 ALLREDUCE 32 3 ALLREDUCE 8 1 DATA\n"
      "b -1 5 ALLREDUCE 64 4 ALLREDUCE 32 3 ALLREDUCE 8 1 MODEL\n";
  EXPECT_THAT(
      graph(text),
      ElementsAre("COMP_NODE_a_FWD<-", "COMP_NODE_b_FWD<-0 ", "COMM_COLL_NODE_b_ALLREDUCE<-1 ",
                  "COMP_NODE_b_BWD_IG<-2 ", "COMM_COLL_NODE_b_ALLREDUCE<-3 ", "COMP_NODE_b_BWD_WG<-3 ",
                  "COMP_NODE_a_BWD_IG<-5 4 ", "COMP_NODE_a_BWD_WG<-6 ", "COMM_COLL_NODE_a_ALLREDUCE<-7 "));
}

TEST(AstraText, RefusesFirstLinesThatSayTooLittle) {
  for (const auto& [kind, what] :
       {std::pair{"HYBRID_TRANSFORMER", "needs the size of its model-parallel group"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: x", "is not a whole number"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoints: 3 0",
         "3 layers are announced"},
        {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 checkpoint_initiates: 1 2",
         "no checkpoint at or below it"},
        {"HYBRID_TRANSFORMER model_parallel_NPU_group: 1 pp: 2", "stages and experts are not part"},
        {"HYBRID_CUSTOMIZED", "names no policy"}})
    EXPECT_THAT(complaints_about([&, text = table(kind)] { static_cast<void>(read_astra_table(text, "t")); }),
                ::testing::Contains(HasSubstr(what)))
        << kind;
}

TEST(AstraText, ComesBackAsItWas) {
  for (const char* kind : {"DATA npus: 4", "MODEL npus: 4", "HYBRID_DLRM 1 npus: 4", "MICRO npus: 4",
                           "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 npus: 4",
                           "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 1 0 "
                           "checkpoint_initiates: 1 2 npus: 4"}) {
    const TempFolder folder;
    const std::string text = table(kind, "ALLGATHER\t64", "REDUCESCATTER\t32"), path = folder.path / "a.txt";
    write_bytes(path, text);
    const trace::Trace trace = read_trace({path, {}});
    EXPECT_EQ(trace.world, 4);
    format_named("astra_text")->write(trace, path);
    EXPECT_EQ(read_bytes(path), text);
  }
}

TEST(AstraText, TakesRanksFromANetwork) {
  const TempFolder folder;
  write_bytes(folder.path / "a.txt", table("DATA"));
  write_bytes(folder.path / "net.yml",
              "topology: [ Ring, Switch ]\nnpus_count: [ 4, 8 ]\nbandwidth: [ 50.0, 25.0 ]\n");
  EXPECT_EQ(read_trace({folder.path / "a.txt", folder.path / "net.yml"}).world, 32);
  const trace::Trace alone = read_trace({folder.path / "a.txt", {}});
  EXPECT_THAT(alone.notes, ElementsAre(HasSubstr("does not give the number of ranks")));
}

TEST(AstraText, NamesEveryProblemByItsLine) {
  const std::string text =
      "DATA\n4\na -1 5 NONE 0 4 NONE 0 x ALLREDUCE 8 10\nb -1 5 SUM 0\nc -1 1 SUM 0 1 NONE 0 1 NONE 0 0\n";
  try {
    static_cast<void>(read_astra_table(text, "t.txt"));
    FAIL();
  } catch (const UserError& error) {
    ASSERT_EQ(error.problems().size(), 3U);
    EXPECT_EQ(error.problems()[0].place.line, 3);
    EXPECT_EQ(error.problems()[0].place.column, 24);
    EXPECT_THAT(error.problems()[1].what, HasSubstr("5 columns"));
    EXPECT_THAT(error.problems()[2].what, HasSubstr("\"SUM\" is not a collective"));
  }
  EXPECT_THAT(complaints_about([&] { static_cast<void>(read_astra_table("DATA\n2\n", "t")); }),
              ElementsAre(HasSubstr("2 layers are announced, but 0 are present")));
}

// Forward, then three backward pieces with a reduction behind each of two, then the optimizer.
trace::Trace data_parallel() {
  trace::Trace out;
  out.world = 2;
  out.names = {"op"};
  out.groups = {{"dp", trace::GroupRole::data, {0, 1}}};
  trace::RankTrace rank;
  rank.stands_for = {0, 1};
  const auto add = [&](trace::Node node) {
    node.id = static_cast<std::int64_t>(rank.nodes.size());
    rank.nodes.push_back(node);
    rank.needs.close_row(), rank.follows.close_row();
  };
  const auto compute = [&](trace::Pass pass, std::int64_t micros) {
    add({.kind = trace::NodeKind::compute, .pass = pass, .duration = SimTime(micros * 1'000'000)});
  };
  const auto reduce = [&](std::int64_t bytes) {
    add({.kind = trace::NodeKind::collective,
         .pass = trace::Pass::backward,
         .group = 0,
         .bytes = Bytes(bytes)});
  };
  compute(trace::Pass::forward, 10), compute(trace::Pass::forward, 11);
  compute(trace::Pass::backward, 20), reduce(100);
  compute(trace::Pass::backward, 30), reduce(200);
  compute(trace::Pass::optimizer, 5);
  out.ranks = {rank};
  return out;
}

TEST(AstraText, SaysDataParallelStepsByTheirReductions) {
  EXPECT_EQ(text_of(table_of_step(data_parallel())),
            "DATA npus: 2\n2\nbucket1\t-1\t21\tNONE\t0\t0\tNONE\t0\t30\tALLREDUCE\t200\t5\n"
            "bucket0\t-1\t0\tNONE\t0\t0\tNONE\t0\t20\tALLREDUCE\t100\t0\n");
}

TEST(AstraText, RefusesWhatTheTextCannotSay) {
  trace::Trace sends = data_parallel();
  sends.ranks[0].nodes[3].kind = trace::NodeKind::send;
  EXPECT_THAT(complaints_about([&] { static_cast<void>(table_of_step(sends)); }),
              ElementsAre(HasSubstr("is a transfer to one rank")));
  trace::Trace awaited = data_parallel();
  awaited.ranks[0].needs.value = {3};
  awaited.ranks[0].needs.offset = {0, 0, 0, 0, 0, 1, 1, 1};
  EXPECT_THAT(complaints_about([&] { static_cast<void>(table_of_step(awaited)); }),
              ElementsAre(HasSubstr("compute waits for")));
}

}  // namespace
}  // namespace echo::trace_io
