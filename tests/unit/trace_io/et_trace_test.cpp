#include "trace_io/pytorch_et/et_trace.hpp"

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

// A tensor of 64 x 64 floats in a storage of its own.
std::string tensor(int storage, const std::string& device = "cuda:0") {
  return "[" + std::to_string(storage + 1000) + ", " + std::to_string(storage) + ", 0, 4096, 4, \"" + device +
         "\"]";
}

class EtText {
 public:
  EtText& node(int id, const std::string& name, int parent, const std::string& inputs = "",
               const std::string& shapes = "", const std::string& types = "", const std::string& outputs = "",
               int sequence = -1, const std::string& attributes = "") {
    nodes_ += std::string(nodes_.empty() ? "" : ",\n") + "{\"id\": " + std::to_string(id) + ", \"name\": \"" +
              name + "\", \"ctrl_deps\": " + std::to_string(parent) + ", \"inputs\": {\"values\": [" +
              inputs + "], \"shapes\": [" + shapes + "], \"types\": [" + types +
              "]}, \"outputs\": {\"values\": [" + outputs +
              "], \"shapes\": [], \"types\": []}, \"attrs\": [{\"name\": \"rf_id\", \"type\": \"uint64\", "
              "\"value\": " +
              std::to_string(id) +
              "}, {\"name\": \"seq_id\", \"type\": \"int64\", \"value\": " + std::to_string(sequence) + "}" +
              attributes + "]}";
    return *this;
  }
  EtText& mm(int id, int parent, int from, int to, int sequence = -1) {
    return node(id, "aten::mm", parent, tensor(from) + ", " + tensor(from), "[64, 64], [64, 64]",
                "\"Tensor(float)\", \"Tensor(float)\"", tensor(to), sequence);
  }
  [[nodiscard]] std::string text() const {
    return "{\"schema\": \"1.1.1-chakra.0.0.4\", \"pid\": 1, \"nodes\": [\n" + nodes_ +
           "], \"finish_ts\": 1}";
  }

 private:
  std::string nodes_;
};

constexpr const char* all_reduce =
    ", {\"name\": \"collective_name\", \"type\": \"string\", \"value\": \"allreduce\"}, {\"name\": "
    "\"dtype\", \"type\": "
    "\"string\", \"value\": \"Float\"}, {\"name\": \"in_msg_nelems\", \"type\": \"uint64\", \"value\": "
    "4096}, {\"name\": "
    "\"pg_name\", \"type\": \"string\", \"value\": \"0\"}";
constexpr const char* process_group =
    "\"[{\\\"pg_name\\\": \\\"0\\\", \\\"ranks\\\": [], \\\"group_size\\\": 4}]\"";

trace::Trace read(const std::string& text, std::int32_t step = -1) {
  const ScratchFiles files;
  return read_trace({files.write("et.json", text), "", step});
}

TEST(ExecutionTrace, TheInnermostOpsAreTheKernelsInTheOrderOfTheirCalls) {
  const trace::Trace trace =
      read(EtText()
               .node(9, "aten::relu", 2, tensor(3), "[64, 64]", "\"Tensor(float)\"", tensor(4))
               .mm(6, 5, 1, 3)
               .node(5, "aten::matmul", 2)
               .node(8, "aten::view", 2, tensor(3), "[64, 64]", "\"Tensor(float)\"", tensor(3))
               .text());
  EXPECT_THAT(names_of(trace), ElementsAre("aten::mm", "aten::relu"));
  EXPECT_EQ(trace.kernels.at(static_cast<std::size_t>(trace.ranks[0].nodes[0].kernel)),
            (ops::KernelKey{.precision = machine::Precision::fp32, .m = 64, .n = 64, .k = 64}));
  EXPECT_FALSE(trace.ranks[0].nodes[0].is_timed());
  EXPECT_THAT(trace.notes, Contains(HasSubstr("priced by their shapes")));
}

TEST(ExecutionTrace, AProductStaysOneKernelWhateverItCalls) {
  const trace::Trace trace =
      read(EtText()
               .mm(6, 2, 1, 3)
               .node(7, "aten::copy_", 6, tensor(1) + ", " + tensor(2), "[64, 64], [64, 64]",
                     "\"Tensor(float)\", \"Tensor(float)\"", tensor(1))
               .text());
  EXPECT_THAT(names_of(trace), ElementsAre("aten::mm"));
}

TEST(ExecutionTrace, ClearingTheResultFirstDoesNotMakeAnOpACaller) {
  const trace::Trace trace =
      read(EtText()
               .node(5, "aten::nll_loss_backward", 2, tensor(1), "[64, 64]", "\"Tensor(float)\"", tensor(2))
               .node(6, "aten::zero_", 5, tensor(2), "[64, 64]", "\"Tensor(float)\"", tensor(2))
               .node(7, "aten::zeros", 2, "", "", "", tensor(3))
               .node(8, "aten::fill_", 7, tensor(3), "[64, 64]", "\"Tensor(float)\"", tensor(3))
               .text());
  EXPECT_THAT(names_of(trace), ElementsAre("aten::nll_loss_backward", "aten::zero_", "aten::fill_"));
}

TEST(ExecutionTrace, PassesFollowFromTheCallers) {
  const trace::Trace trace = read(EtText()
                                      .node(3, "ProfilerStep#1", 2)
                                      .mm(4, 3, 1, 2, 7)
                                      .node(5, "autograd::engine::evaluate_function: MmBackward0", 3)
                                      .mm(6, 5, 1, 2)
                                      .mm(7, 5, 1, 2, 9)
                                      .node(8, "Optimizer.step#SGD.step", 3)
                                      .mm(9, 8, 1, 2)
                                      .text());
  const auto& nodes = trace.ranks[0].nodes;
  EXPECT_EQ(nodes[0].pass, Pass::forward);
  EXPECT_EQ(nodes[1].pass, Pass::backward);
  EXPECT_EQ(nodes[2].pass, Pass::recompute);
  EXPECT_EQ(nodes[3].pass, Pass::optimizer);
}

TEST(ExecutionTrace, DeepCallsTakeNoLonger) {
  EtText text;
  constexpr int depth = 20'000;
  for (int i = 3; i < depth; ++i) text.node(i, "aten::f", i - 1);
  text.mm(depth, depth - 1, 1, 2);
  EXPECT_THAT(names_of(read(text.text())), ElementsAre("aten::mm"));
}

TEST(ExecutionTrace, OneStepIsTaken) {
  const std::string text = EtText()
                               .node(3, "ProfilerStep#1", 2)
                               .mm(4, 3, 1, 2)
                               .node(5, "ProfilerStep#2", 2)
                               .mm(6, 5, 1, 2)
                               .mm(7, 5, 1, 2)
                               .text();
  EXPECT_EQ(read(text).ranks[0].nodes.size(), 2U);
  EXPECT_EQ(read(text, 1).ranks[0].nodes.size(), 1U);
  EXPECT_THROW(static_cast<void>(read(text, 3)), UserError);
}

TEST(ExecutionTrace, CommunicationTakesAndGivesStorages) {
  const trace::Trace trace =
      read(EtText()
               .node(3, "## process_group:init ##", 2, process_group, "[]", "\"String\"")
               .mm(4, 2, 1, 5)
               .node(6, "c10d::allreduce_", 2)
               .node(7, "record_param_comms", 6, "[" + tensor(5) + "], 1", "[[64, 64]], []",
                     "\"GenericList[Tensor(float)]\", \"Int\"", "[" + tensor(5) + "]", -1, all_reduce)
               .mm(8, 2, 1, 6)
               .mm(9, 2, 5, 7)
               .text());
  EXPECT_EQ(trace.world, 4);
  const trace::RankTrace& rank = trace.ranks[0];
  ASSERT_EQ(rank.nodes.size(), 4U);
  EXPECT_EQ(rank.nodes[1].kind, NodeKind::collective);
  EXPECT_EQ(rank.nodes[1].bytes, Bytes(4 * 4096));
  EXPECT_EQ(trace.groups.at(static_cast<std::size_t>(rank.nodes[1].group)).ranks.size(), 4U);
  EXPECT_THAT(rank.needs.row(1), ElementsAre(0));
  EXPECT_THAT(rank.needs.row(2), ElementsAre());
  EXPECT_THAT(rank.needs.row(3), ElementsAre(1));
}

// As PyTorch 2.15 records them on a CPU with its fake process group: no record_param_comms.
TEST(ExecutionTrace, CollectivesWithoutArgumentsOfTheirOwnSayTheirSizeByTheirTensors) {
  const std::string small = "[21, 1, 0, 1024, 4, \"cpu\"]", large = "[22, 2, 0, 4096, 4, \"cpu\"]";
  const std::string two_groups =
      "\"[{\\\"pg_name\\\": \\\"0\\\", \\\"ranks\\\": [], \\\"group_size\\\": 4}, {\\\"pg_name\\\": "
      "\\\"1\\\", \\\"pg_desc\\\": \\\"mesh_tp\\\", \\\"ranks\\\": [0, 1], \\\"group_size\\\": 2}]\"";
  const trace::Trace trace =
      read(EtText()
               .node(3, "## process_group:init ##", 2, two_groups, "[]", "\"String\"")
               .node(4, "c10d::_allgather_base_", 2, large + ", " + small + ", \"<Object>\"", "[], [], []",
                     "\"Tensor(float)\", \"Tensor(float)\", \"Object\"", large)
               .node(5, "_c10d_functional::all_reduce", 2, small + ", \"sum\", \"1\"", "[], [], []",
                     "\"Tensor(float)\", \"String\", \"String\"", small)
               .node(6, "c10d::allreduce_", 5, "[" + small + "], \"<Object>\", 1", "[], [], []",
                     "\"GenericList[Tensor(float)]\", \"Object\", \"Int\"")
               .text());
  const auto& nodes = trace.ranks[0].nodes;
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].bytes, Bytes(4 * 4096));
  EXPECT_EQ(trace.groups.at(static_cast<std::size_t>(nodes[0].group)).name, "0");
  EXPECT_EQ(nodes[1].bytes, Bytes(4 * 1024));
  EXPECT_EQ(trace.groups.at(static_cast<std::size_t>(nodes[1].group)),
            (trace::Group{"1", trace::GroupRole::tensor, {0, 1}}));
}

TEST(ExecutionTrace, WhatTheHostDoesWithItsOwnTensorsIsLeftOut) {
  const trace::Trace trace =
      read(EtText()
               .mm(4, 2, 1, 5)
               .node(5, "aten::add", 2, tensor(8, "cpu"), "[64, 64]", "\"Tensor(float)\"", tensor(8, "cpu"))
               .node(6, "aten::copy_", 2, tensor(9) + ", " + tensor(8, "cpu"), "[64, 64], [64, 64]",
                     "\"Tensor(float)\", \"Tensor(float)\"", tensor(9))
               .text());
  EXPECT_THAT(names_of(trace), ElementsAre("aten::mm", "aten::copy_"));
  EXPECT_EQ(trace.ranks[0].nodes[1].collective, ops::CollectiveKind::host_copy);
  EXPECT_EQ(trace.ranks[0].nodes[1].bytes, Bytes(4 * 4096));
}

TEST(ExecutionTrace, AProfileBesideItGivesTheTimesAndItTheShapes) {
  const ScratchFiles files;
  files.write("et_rank-0.json", EtText().mm(4, 2, 1, 5).text());
  files.write("profile_rank-0.json", KinetoText()
                                         .op("aten::mm", 70, 10, 20, ", \"Record function id\": 4")
                                         .kernel("gemm", 1, 12, 40, 9.5, 7, "", 70)
                                         .text());
  for (const std::string& path : {files.path("et_rank-0.json"), files.path("")}) {
    const trace::Trace trace = read_trace({path});
    EXPECT_EQ(trace.format, "pytorch_et");
    ASSERT_EQ(trace.ranks.at(0).nodes.size(), 1U);
    EXPECT_EQ(trace.ranks[0].nodes[0].duration, from_microseconds(9.5));
    EXPECT_EQ(trace.kernels.at(0).m, 64);
  }
}

TEST(ExecutionTrace, TheOlderSchemaHasItsFieldsInTheNode) {
  const trace::Trace trace = read(
      "{\"schema\": \"1.0.1\", \"nodes\": [{\"name\": \"aten::mm\", \"id\": 5, \"rf_id\": 3, \"parent\": 2, "
      "\"seq_id\": 1, \"inputs\": [" +
      tensor(1) + ", " + tensor(2) +
      "], \"input_shapes\": [[64, 64], [64, 64]], \"input_types\": [\"Tensor(float)\", \"Tensor(float)\"], "
      "\"outputs\": [" +
      tensor(3) + "]}]}");
  EXPECT_EQ(trace.kernels.at(0).k, 64);
}

TEST(ExecutionTrace, WhatIsNoneIsRefusedWithItsByte) {
  const std::string text = EtText().mm(4, 2, 1, 5).text();
  const ScratchFiles files;
  try {
    static_cast<void>(read_et({files.write("et.json", text.substr(0, 200))}));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.problems().at(0).what, HasSubstr("byte 200"));
  }
  for (const std::string& none :
       {EtText().node(3, "x", 2).text(), EtText().mm(4, 2, 1, 5).mm(4, 2, 1, 5).text()})
    EXPECT_THROW(static_cast<void>(read_et({files.write("et.json", none)})), UserError);
}

}  // namespace
}  // namespace echo::trace_io
