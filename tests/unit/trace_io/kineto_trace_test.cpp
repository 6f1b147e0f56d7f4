#include "trace_io/kineto/kineto_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/kineto_text.hpp"
#include "tests/support/named_nodes.hpp"
#include "tests/support/scratch_files.hpp"

namespace echo::trace_io {
namespace {

using echo::testing::KinetoText;
using echo::testing::names_of;
using echo::testing::ScratchFiles;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::NodeKind;
using trace::Pass;

constexpr const char* two_ranks =
    "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 1, \"world_size\": 4, \"pg_config\": "
    "[{\"pg_name\": \"0\", "
    "\"pg_desc\": \"default_pg\", \"pg_size\": 4, \"ranks\": [0, 1, 2, 3]}, {\"pg_name\": \"3\", "
    "\"pg_desc\": "
    "\"mesh_tp\", \"pg_size\": 2, \"ranks\": [0, 1]}]}";
constexpr const char* addmm_shapes =
    ", \"Concrete Inputs\": [\"\", \"\", \"\", \"1\", \"1\"], \"Input type\": [\"c10::BFloat16\", "
    "\"c10::BFloat16\", "
    "\"c10::BFloat16\", \"Scalar\", \"Scalar\"], \"Input Strides\": [[1], [64, 1], [1, 64], [], []], \"Input "
    "Dims\": "
    "[[192], [32, 64], [64, 192], [], []]";

trace::Trace read(const std::string& text, std::int32_t step = -1) {
  const ScratchFiles files;
  return read_trace({files.write("rank-1.json", text), "", step});
}

std::vector<std::int32_t> needs_of(const trace::Trace& trace, std::int32_t node) {
  const auto row = trace.ranks.at(0).needs.row(node);
  return {row.begin(), row.end()};
}

std::string problem_of(const std::string& text, std::int32_t step = -1) {
  try {
    static_cast<void>(read(text, step));
  } catch (const UserError& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.problems().at(0).what;
  }
  return "none";
}

KinetoText three_steps() {
  KinetoText text;
  for (int i = 0; i < 3; ++i) {
    const double start = 1000.0 * i;
    text.step(10 + i, start, 999).kernel("k" + std::to_string(i), 50 + i, start + 990, start + 1500, 20);
  }
  return text;
}

TEST(Kineto, TakesTheKernelsThatTheStepLaunchedWheneverTheyRan) {
  EXPECT_THAT(names_of(read(three_steps().text())), ElementsAre("k1"));
  EXPECT_THAT(names_of(read(three_steps().text(), 12)), ElementsAre("k2"));
  EXPECT_THAT(read(three_steps().text()).notes, Contains("step ProfilerStep#11"));
}

TEST(Kineto, AStepThatIsNotThereIsRefused) {
  EXPECT_THAT(problem_of(three_steps().text(), 13), HasSubstr("no step 13"));
  EXPECT_THAT(problem_of(KinetoText().kernel("k", 1, 0, 10, 5).text(), 2), HasSubstr("marks no steps"));
}

TEST(Kineto, AStepInWhichTheGpuRestsIsPassedOver) {
  const std::string text =
      KinetoText().step(1, 0, 100).step(2, 100, 100).step(3, 200, 100).kernel("k", 1, 250, 260, 5).text();
  EXPECT_THAT(names_of(read(text)), ElementsAre("k"));
}

TEST(Kineto, AnEventWithoutANameMarksNothing) {
  const std::string text = KinetoText().op("", 1, 0, 5).annotation("", 0, 5).kernel("k", 1, 0, 10, 5).text();
  EXPECT_THAT(names_of(read(text)), ElementsAre("k"));
}

TEST(Kineto, AListWithoutAnObjectAroundItIsAProfileToo) {
  EXPECT_THAT(names_of(read(KinetoText().kernel("k", 1, 0, 10, 5).events())), ElementsAre("k"));
}

TEST(Kineto, NodesStandInTheOrderOfIssueWithTheHostTimeBetween) {
  const trace::Trace trace = read(KinetoText()
                                      .step(0, 100, 500)
                                      .kernel("second", 2, 130.5, 180, 20, 20)
                                      .kernel("first", 1, 110, 200, 40.25)
                                      .text());
  EXPECT_THAT(names_of(trace), ElementsAre("first", "second"));
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(nodes[0].duration, SimTime(40'250'000));
  EXPECT_EQ(nodes[0].gap, from_microseconds(10));
  EXPECT_EQ(nodes[1].gap, from_microseconds(20.5));
  EXPECT_EQ(nodes[1].stream, 20);
}

TEST(Kineto, WhatALaunchWaitsForRoomInTheQueueIsNotTheHostsTime) {
  KinetoText text;
  text.step(0, 0, 5000);
  for (int i = 0; i < 5; ++i) text.kernel("short", i, 10.0 * i, 10.0 * i + 5, 5);
  text.call("cudaLaunchKernel", 5, 50, 2000)
      .gpu("kernel", "blocked", 5, 90'000, 5)
      .kernel("next", 6, 2060, 90'010, 5);
  const trace::Trace trace = read(text.text());
  EXPECT_EQ(trace.ranks[0].nodes[5].gap, from_microseconds(10));
  EXPECT_EQ(trace.ranks[0].nodes[6].gap, from_microseconds(10));
  EXPECT_THAT(trace.notes, Contains(HasSubstr("waited for room")));
}

TEST(Kineto, AProductIsAKernelByItsShapesAndTakesAllThatItsOpLaunched) {
  const trace::Trace trace =
      read(KinetoText()
               .header("\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100\"}]")
               .op("aten::addmm", 5, 100, 50, addmm_shapes)
               .kernel("void cutlass::gemm<bf16>(P)", 1, 110, 200, 30, 7, "", 5)
               .kernel("splitKreduce", 2, 120, 230, 10, 7, "", 5)
               .text());
  EXPECT_EQ(trace.gpu, "NVIDIA H100");
  EXPECT_THAT(names_of(trace), ElementsAre("gemm"));
  EXPECT_EQ(trace.ranks[0].nodes[0].duration, from_microseconds(40));
  const ops::KernelKey key = trace.kernels.at(static_cast<std::size_t>(trace.ranks[0].nodes[0].kernel));
  EXPECT_EQ(key, (ops::KernelKey{.kind = ops::KernelKind::gemm, .m = 32, .n = 192, .k = 64}));
}

TEST(Kineto, AProductIsTf32WhereItsKernelSaysSo) {
  for (const auto& [name, precision] :
       {std::pair{"ampere_sgemm_128x64_tn", machine::Precision::fp32},
        {"cutlass_80_tensorop_s1688gemm_tf32_128x128", machine::Precision::tf32}}) {
    const trace::Trace trace =
        read(KinetoText()
                 .op("aten::mm", 5, 100, 50,
                     ", \"Input type\": [\"float\", \"float\"], \"Input Dims\": [[32, 64], [64, 192]]")
                 .kernel(name, 1, 110, 200, 30, 7, "", 5)
                 .text());
    EXPECT_EQ(trace.kernels.at(0).precision, precision);
  }
}

TEST(Kineto, ACollectiveIsWhatItsArgumentsSay) {
  const trace::Trace trace = read(
      KinetoText()
          .header(two_ranks)
          .kernel(
              "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1, 10, 20, 30, 20,
              ", \"Collective name\": \"_allgather_base\", \"In msg nelems\": 500, \"Out msg nelems\": 1000, "
              "\"Group size\": 2, \"dtype\": \"BFloat16\", \"Process Group Name\": \"3\"")
          .kernel(
              "ncclDevKernel_SendRecv(x)", 2, 20, 60, 30, 20,
              ", \"Collective name\": \"send\", \"In msg nelems\": 8, \"dtype\": \"Float\", \"Dst Rank\": 2, "
              "\"Process Group Name\": \"0\"")
          .text());
  EXPECT_EQ(trace.world, 4);
  EXPECT_EQ(trace.ranks[0].rank, 1);
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(nodes[0].kind, NodeKind::collective);
  EXPECT_EQ(nodes[0].collective, ops::CollectiveKind::all_gather);
  EXPECT_EQ(nodes[0].bytes, Bytes(2000));
  EXPECT_EQ(trace.groups.at(static_cast<std::size_t>(nodes[0].group)),
            (trace::Group{"3", trace::GroupRole::tensor, {0, 1}}));
  EXPECT_EQ(nodes[1].kind, NodeKind::send);
  EXPECT_EQ(nodes[1].peer, 2);
  EXPECT_EQ(nodes[1].bytes, Bytes(32));
  EXPECT_EQ(nodes[1].precision, machine::Precision::fp32);
}

TEST(Kineto, ACollectiveThatSaysNothingKeepsItsTimeAndIsNoted) {
  const trace::Trace trace =
      read(KinetoText()
               .kernel("ncclKernel_AllReduce_RING_LL_Sum_float(x)", 1, 10, 20, 30, 20)
               .kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)", 2, 20, 60, 30, 20)
               .text());
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(nodes[0].collective, ops::CollectiveKind::all_reduce);
  EXPECT_EQ(nodes[0].group, -1);
  EXPECT_EQ(nodes[0].duration, from_microseconds(30));
  EXPECT_EQ(nodes[1].kind, NodeKind::compute);
  EXPECT_THAT(trace.notes, Contains(HasSubstr("have no size or members")));
  EXPECT_THAT(trace.notes, Contains(HasSubstr("are of unknown kind")));
}

TEST(Kineto, OlderProfilesSayTheSizeInTheAnnotation) {
  const trace::Trace trace = read(KinetoText()
                                      .annotation("nccl:all_reduce", 8, 10, KinetoText::main_thread,
                                                  "\"Input Dims\": [[100, 20]], \"Input type\": [\"float\"]")
                                      .kernel("ncclKernel_AllReduce_RING_LL_Sum_float(x)", 1, 10, 20, 30, 20)
                                      .text());
  EXPECT_EQ(trace.ranks[0].nodes[0].bytes, Bytes(8000));
  EXPECT_EQ(trace.ranks[0].nodes[0].precision, machine::Precision::fp32);
}

TEST(Kineto, PassesFollowFromTheAutogradEngineAndTheOptimizer) {
  const int engine = KinetoText::autograd_thread;
  const std::string backward = "autograd::engine::evaluate_function: MmBackward0";
  const trace::Trace trace = read(KinetoText()
                                      .op("aten::mul", 1, 0, 10, ", \"Sequence number\": 1")
                                      .kernel("forward", 1, 2, 20, 5)
                                      .op(backward, 2, 100, 100, ", \"Sequence number\": 1", engine)
                                      .op("aten::mul", 3, 110, 10, "", engine)
                                      .kernel("backward", 2, 112, 120, 5, 7, "", 3, engine)
                                      .op("aten::relu", 4, 130, 10, ", \"Sequence number\": 9", engine)
                                      .kernel("again", 3, 132, 140, 5, 7, "", 4, engine)
                                      .annotation("Optimizer.step#AdamW.step", 300, 50)
                                      .kernel("update", 4, 310, 320, 5)
                                      .text());
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_THAT(names_of(trace), ElementsAre("forward", "backward", "again", "update"));
  EXPECT_EQ(nodes[0].pass, Pass::forward);
  EXPECT_EQ(nodes[1].pass, Pass::backward);
  EXPECT_EQ(nodes[2].pass, Pass::recompute);
  EXPECT_EQ(nodes[3].pass, Pass::optimizer);
}

TEST(Kineto, StreamsWaitAsTheDriverRecordedIt) {
  const trace::Trace trace =
      read(KinetoText()
               .kernel("before", 1, 0, 10, 5, 7)
               .call("cudaEventRecord", 2, 10, 1)
               .kernel("after", 3, 15, 20, 5, 7)
               .call("cudaStreamWaitEvent", 4, 25, 1)
               .gpu("cuda_sync", "Stream Wait Event", 4, 25, 1, 20,
                    ", \"wait_on_stream\": 7, \"wait_on_cuda_event_record_corr_id\": 2")
               .kernel("elsewhere", 5, 30, 40, 5, 20)
               .text());
  EXPECT_THAT(names_of(trace), ElementsAre("before", "after", "elsewhere"));
  EXPECT_THAT(needs_of(trace, 2), ElementsAre(0));
}

TEST(Kineto, WithoutThatNcclWaitsForWhatWasIssuedBeforeAndItsUsersForIt) {
  const trace::Trace trace = read(KinetoText()
                                      .kernel("gradient", 1, 0, 10, 5, 7)
                                      .call("cudaStreamWaitEvent", 2, 8, 1)
                                      .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 3, 10, 20, 50, 20)
                                      .kernel("meanwhile", 4, 20, 25, 5, 7)
                                      .call("cudaStreamWaitEvent", 5, 30, 1)
                                      .kernel("update", 6, 35, 75, 5, 7)
                                      .text());
  EXPECT_THAT(needs_of(trace, 1), ElementsAre(0));
  EXPECT_THAT(needs_of(trace, 2), ElementsAre());
  EXPECT_THAT(needs_of(trace, 3), ElementsAre(1));
  EXPECT_THAT(trace.notes, Contains(HasSubstr("waits between streams")));
}

TEST(Kineto, CopiesToTheHostAndWaitsForThemAreNodes) {
  const trace::Trace trace =
      read(KinetoText()
               .kernel("loss", 1, 0, 10, 5)
               .call("cudaMemcpyAsync", 2, 10, 1)
               .gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", 2, 20, 5, 7, ", \"bytes\": 4")
               .call("cudaStreamSynchronize", 3, 12, 20)
               .kernel("next", 4, 40, 50, 5)
               .text());
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(nodes[1].collective, ops::CollectiveKind::host_copy);
  EXPECT_EQ(nodes[1].bytes, Bytes(4));
  EXPECT_EQ(nodes[2].kind, NodeKind::wait);
  EXPECT_THAT(needs_of(trace, 2), ElementsAre(1));
  EXPECT_EQ(nodes[3].gap, from_microseconds(8));  // from the end of the wait
}

TEST(Kineto, ACopyToMemoryThatIsNotPinnedHoldsTheHost) {
  const trace::Trace trace =
      read(KinetoText()
               .kernel("loss", 1, 0, 10, 500)
               .call("cudaMemcpyAsync", 2, 10, 520)
               .gpu("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 2, 512, 5, 7, ", \"bytes\": 4")
               .kernel("next", 3, 540, 550, 5)
               .text());
  EXPECT_THAT(names_of(trace),
              ElementsAre("loss", "Memcpy DtoH (Device -> Pageable)", "cudaMemcpyAsync", "next"));
  EXPECT_EQ(trace.ranks[0].nodes[2].kind, NodeKind::wait);
  EXPECT_THAT(needs_of(trace, 2), ElementsAre(1));
  EXPECT_EQ(trace.ranks[0].nodes[3].gap, from_microseconds(10));
}

TEST(Kineto, AFolderHoldsARankAFile) {
  const ScratchFiles files;
  for (const char* rank : {"0", "1"})
    files.write("rank-" + std::string(rank) + ".json",
                KinetoText().kernel("k" + std::string(rank), 1, 0, 10, 5).text());
  files.write("readme.json", "{\"a\": 1}");
  const trace::Trace trace = read_trace({files.path("")});
  ASSERT_EQ(trace.ranks.size(), 2U);
  EXPECT_EQ(trace.world, 2);
  EXPECT_EQ(trace.ranks[1].rank, 1);
}

TEST(Kineto, WhatIsNoWholeProfileIsRefusedWithItsByte) {
  const std::string text = three_steps().text();
  EXPECT_THAT(problem_of(text.substr(0, text.size() / 2)),
              HasSubstr("byte " + std::to_string(text.size() / 2)));
  EXPECT_THAT(problem_of(KinetoText().step(1, 0, 10).text()), HasSubstr("no kernels"));
  std::string broken = text;
  broken.replace(broken.find("\"cat\""), 5, "\"cat ");
  EXPECT_THAT(problem_of(broken), HasSubstr("byte "));
}

}  // namespace
}  // namespace echo::trace_io
