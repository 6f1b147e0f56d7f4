#include "trace_io/echo_tracer/tracer_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "tests/support/scratch_files.hpp"

namespace echo::trace_io {
namespace {

using echo::testing::ScratchFiles;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using trace::Pass;

constexpr const char* graph =
    R"([{"name": "addmm", "op": "torch.addmm", "input_nodes": ["x"], "output_nodes": ["AddmmBackward00"],
 "input_types": ["torch.float32", "torch.float32", "torch.float32"], "input_shapes": [[8], [4, 16], [16, 8]],
 "output_types": ["torch.float32"], "output_shapes": [[4, 8]]},
{"name": "AddmmBackward00", "op": "AddmmBackward0", "input_nodes": ["addmm"], "output_nodes": ["AccumulateGrad0"],
 "input_types": ["torch.float32"], "input_shapes": [[4, 8]],
 "output_types": ["torch.float32", "torch.float32", "torch.float32"], "output_shapes": [[8], [4, 16], [16, 8]]},
{"name": "AccumulateGrad0", "op": "AccumulateGrad", "input_nodes": ["AddmmBackward00"], "output_nodes": ["ddp_pre_0"],
 "input_types": ["torch.float32"], "input_shapes": [[16, 8]], "output_types": [], "output_shapes": []},
{"name": "later", "op": "MulBackward0", "input_nodes": ["AddmmBackward00"], "output_nodes": [],
 "input_types": ["torch.float32"], "input_shapes": [[4, 8]], "output_types": ["torch.float32", null],
 "output_shapes": [[4, 8], null]},
{"name": "ddp_pre_0", "op": "ddp_pre", "input_nodes": ["AccumulateGrad0"], "output_nodes": ["ddp_Allreduce_0"],
 "input_types": [], "input_shapes": [], "output_types": [], "output_shapes": [], "attrs": {"bucket_size": 128}},
{"name": "ddp_Allreduce_0", "op": "ddp_Allreduce", "input_nodes": ["ddp_pre_0"], "output_nodes": [],
 "input_types": [], "input_shapes": [], "output_types": [], "output_shapes": [], "attrs": {"bucket_size": 128}}])";
constexpr const char* times =
    R"({"addmm": 0.5, "AddmmBackward00": 1.25, "AccumulateGrad0": 0.001, "later": 0.002, "optimizer_step": 2.0})";

std::vector<std::string> names_of(const trace::Trace& trace) {
  std::vector<std::string> names;
  for (const trace::Node& node : trace.ranks.at(0).nodes)
    names.push_back(trace.names.at(static_cast<std::size_t>(node.name)));
  return names;
}

TEST(EchoTracer, BucketsAreSummedWhereTheLastOfTheirGradientsIsDone) {
  const ScratchFiles files;
  const trace::Trace trace = read_trace({files.write("g.json", graph), files.write("t.json", times)});
  EXPECT_EQ(trace.format, "echo_tracer");
  EXPECT_THAT(names_of(trace), ElementsAre("addmm", "AddmmBackward00", "AccumulateGrad0", "ddp_Allreduce_0",
                                           "later", "optimizer_step"));
  const trace::RankTrace& rank = trace.ranks[0];
  EXPECT_EQ(rank.nodes[3].bytes, Bytes(512));
  EXPECT_EQ(rank.nodes[3].stream, 1);
  EXPECT_THAT(rank.needs.row(3), ElementsAre(2));
  EXPECT_THAT(rank.needs.row(4), ElementsAre(1));
  EXPECT_THAT(rank.needs.row(5), ElementsAre(3));
  EXPECT_EQ(rank.nodes[5].pass, Pass::optimizer);
}

TEST(EchoTracer, OpsHaveTheirTimesAndShapes) {
  const ScratchFiles files;
  const trace::Trace trace = read_trace({files.write("g.json", graph), files.write("t.json", times)});
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(nodes[0].duration, from_microseconds(500));
  EXPECT_EQ(trace.kernels.at(static_cast<std::size_t>(nodes[0].kernel)),
            (ops::KernelKey{.precision = machine::Precision::fp32, .m = 4, .n = 8, .k = 16}));
  EXPECT_EQ(nodes[1].pass, Pass::backward);
  EXPECT_DOUBLE_EQ(nodes[1].flops, 2.0 * 2.0 * 4 * 8 * 16);
}

TEST(EchoTracer, TimesAndRunAreFoundWhereTheTracerPutsThem) {
  const ScratchFiles files;
  for (const char* folder :
       {"PyTorch/pytorch_graph_profiling/a/b", "PyTorch/pytorch_ops_profiling/a/b", "logs/PyTorch/config_a"})
    std::filesystem::create_directories(files.path(folder));
  const std::string path =
      files.write("PyTorch/pytorch_graph_profiling/a/b/global_graph_profiling_bs1_seq4.json", graph);
  files.write("PyTorch/pytorch_ops_profiling/a/b/global_ops_profiling_bs1_seq4.json", times);
  files.write("logs/PyTorch/config_a/b_bs1_seq4.json",
              R"({"framework_settings": {"num_gpus": 2}, "hardware_settings": {"gpu_name": "NVIDIA A100"}})");
  const trace::Trace trace = read_trace({path});
  EXPECT_EQ(trace.gpu, "NVIDIA A100");
  EXPECT_EQ(trace.world, 2);
  EXPECT_TRUE(trace.ranks[0].nodes[0].is_timed());
  EXPECT_EQ(trace.groups.at(0), (trace::Group{"ddp", trace::GroupRole::data, {0, 1}}));
}

TEST(EchoTracer, WithoutTimesShapesAreLeft) {
  const ScratchFiles files;
  const trace::Trace trace = read_trace({files.write("g.json", graph)});
  EXPECT_FALSE(trace.ranks[0].nodes[0].is_timed());
  EXPECT_THAT(trace.notes, Contains(HasSubstr("priced by their shapes")));
}

TEST(EchoTracer, WhatIsNoneIsRefused) {
  const ScratchFiles files;
  const auto refused = [&](const std::string& text, const std::string& beside) {
    EXPECT_THROW(static_cast<void>(read_tracer({files.write("g.json", text), beside})), UserError) << text;
  };
  refused("[{\"op\": \"x\"}]", "");
  refused("[{\"name\": \"a\"}, {\"name\": \"a\"}]", "");
  refused("[{\"name\": \"a\"}", "");
  refused(graph, files.write("t.json", "{\"addmm\": -1}"));
  refused(graph, files.write("t.json", "{\"addmm\": \"x\"}"));
}

}  // namespace
}  // namespace echo::trace_io
