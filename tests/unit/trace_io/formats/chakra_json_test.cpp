#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "tests/support/chakra_files.hpp"
#include "tests/unit/trace_io/complaints.hpp"
#include "trace_io/format.hpp"
#include "trace_io/io/text_sink.hpp"

namespace echo::trace_io {
namespace {

using namespace echo::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string json_of(const google::protobuf::Message& message) {
  std::string out;
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(message, &out, options).ok());
  return out;
}

trace::Trace read(const std::filesystem::path& path) {
  return read_trace({path.string(), {}}, "chakra_json");
}

std::vector<std::string> complaints(const std::string& text) {
  const TempFolder folder;
  write_bytes(folder.path / "job.0.json", text);
  return complaints_about([&] { static_cast<void>(read(folder.path)); });
}

TEST(ChakraJson, IsTheProtobufsTrace) {
  const auto compute = chakra_compute(1, 5),
             gather = chakra_collective(2, ChakraProtoMsg::ALL_GATHER, 1LL << 40);
  const TempFolder folder;
  write_bytes(folder.path / "job.0.json",
              json_of(ChakraText::metadata()) + json_of(compute) + json_of(gather));
  const trace::Trace trace = read(folder.path);
  EXPECT_STREQ(format_of((folder.path / "job.0.json").string()).name, "chakra_json");
  format_named("chakra")->write(trace, folder.path.string());
  EXPECT_EQ(read_bytes(folder.path / "job.0.et"), ChakraText().add(compute).add(gather).bytes);
}

TEST(ChakraJson, ReadsTheFeedersGraph) {
  const TempFolder folder;
  write_bytes(folder.path / "job.0.json", R"({"workload_graph": [
    {"Id": 7, "Name": "mul", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 30, "is_cpu_op": false},
    {"Id": 9, "Name": "sum", "NodeType": 7, "data_deps": [7], "comm_type": 0, "comm_size": 1024}], "ngpus": 8})");
  const trace::Trace trace = read(folder.path);
  EXPECT_EQ(trace.world, 8);
  ASSERT_THAT(trace.ranks[0].nodes, SizeIs(2));
  EXPECT_EQ(trace.ranks[0].nodes[0].duration, std::chrono::microseconds(30));
  EXPECT_EQ(trace.ranks[0].nodes[1].bytes, Bytes(1024));
  EXPECT_THAT(trace.ranks[0].needs.row(1), ElementsAre(0));
}

TEST(ChakraJson, SaysWhereWhatIsCompressedWasCutOff) {
  const TempFolder folder;
  const std::string packed = (folder.path / "job.gz").string();
  TextSink sink(packed);
  sink.put(json_of(ChakraText::metadata()) + json_of(chakra_compute(1, 5)));
  sink.finish();
  const std::string bytes = read_bytes(packed);
  EXPECT_THAT(complaints(bytes), IsEmpty());
  EXPECT_THAT(complaints(bytes.substr(0, bytes.size() - 4)),
              ElementsAre(HasSubstr("cannot be decompressed")));
}

TEST(ChakraJson, SaysWhereItIsWrong) {
  EXPECT_THAT(complaints("{}{\"id\": \"x\"}"), ElementsAre(HasSubstr("byte 2: this is not a Node")));
  EXPECT_THAT(complaints("{} {\"id\": 1"), ElementsAre(HasSubstr("byte 3: the file ends inside")));
  EXPECT_THAT(complaints("{}x"), ElementsAre(HasSubstr("byte 2: expected a JSON object")));
  EXPECT_THAT(complaints(R"({"workload_graph": [{"Id": -1}]})"), ElementsAre(HasSubstr("\"Id\" of a node")));
  EXPECT_THAT(complaints(R"({"workload_graph": [{"Id": 1})"), ElementsAre(HasSubstr("the file ends")));
  EXPECT_THAT(complaints(R"({"workload_graph": [{]}})"), ElementsAre(HasSubstr("this is not JSON")));
  EXPECT_THAT(complaints(R"({"workload_graph": [{"Id": 1e999}]})"), ElementsAre(HasSubstr("out of range")));
}

}  // namespace
}  // namespace echo::trace_io
