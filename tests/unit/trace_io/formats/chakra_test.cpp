#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "tests/support/chakra_files.hpp"
#include "tests/unit/trace_io/complaints.hpp"
#include "trace_io/format.hpp"

namespace echo::trace_io {
namespace {

using namespace echo::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using trace::NodeKind;

trace::Trace read(const std::filesystem::path& path, const std::string& beside = {}) {
  return read_trace({path.string(), beside}, "chakra");
}

std::vector<std::string> complaints(const std::filesystem::path& path) {
  return complaints_about([&] { static_cast<void>(read(path)); });
}

struct OneFile {
  TempFolder folder;
  std::filesystem::path path = folder.path / "job.0.et";
  explicit OneFile(const ChakraText& text) { write_bytes(path, text.bytes); }
};

// The file as it is when written back.
std::string written(const trace::Trace& trace, const std::string& file) {
  const TempFolder out;
  format_named("chakra")->write(trace, out.path.string());
  return read_bytes(out.path / file);
}

// Every type of value, every field of a node, one that no schema has, and dependencies of all sorts.
ChakraText everything() {
  ChakraText text;
  auto node = chakra_compute(40, 7, {12});
  node.add_ctrl_deps(99);  // nowhere
  node.add_ctrl_deps(12);
  node.set_start_time_micros(123456789012);
  node.mutable_inputs()->set_values("[[1, 2]]");
  node.mutable_outputs()->set_types("['Tensor(float)']");
  auto* attribute = node.add_attr();
  attribute->set_name("double"), attribute->set_double_val(1.25), attribute->set_doc_string("why");
  attribute = node.add_attr();
  attribute->set_name("list"), attribute->mutable_sint64_list()->add_values(-9876543210);
  attribute = node.add_attr();
  attribute->set_name("bytes"), attribute->set_bytes_val(std::string("\0\xff", 2));
  set_whole(node, "num_ops", 1'000'000, WholeType::int64);
  node.GetReflection()->MutableUnknownFields(&node)->AddVarint(77, 5);
  text.add(node);
  auto nested = chakra_compute(12, 1);  // behind the one that needs it, and said to follow it
  nested.add_ctrl_deps(40);
  text.add(nested);
  text.add(chakra_node(13, ChakraProtoMsg::METADATA_NODE));
  text.add(chakra_node(14, ChakraProtoMsg::INVALID_NODE, {13, 12, 13}));
  text.add(chakra_collective(15, ChakraProtoMsg::BARRIER, 0));
  text.add(chakra_collective(16, ChakraProtoMsg::GATHER, 48));
  auto load = chakra_node(17, ChakraProtoMsg::MEM_LOAD_NODE);
  set_whole(load, "tensor_size", 1024, WholeType::uint64);
  text.add(load);
  text.add(chakra_node(18, ChakraProtoMsg::COMM_SEND_NODE));  // to nobody
  text.add(chakra_node(19, ChakraProtoMsg::COMM_COLL_NODE));  // of no kind
  return text;
}

TEST(Chakra, ComesBackByteByByte) {
  const ChakraText text = everything();
  const OneFile file(text);
  const trace::Trace trace = read(file.path);
  ASSERT_THAT(trace.ranks, SizeIs(1));
  EXPECT_THAT(trace.ranks[0].nodes, SizeIs(9));
  EXPECT_EQ(written(trace, "job.0.et"), text.bytes);
}

// Bytes put together by hand from the schema's numbers: id 1, name 2, type 3, duration_micros 7, attr 10 with
// name 1 and bool_val 27.
TEST(Chakra, HasTheSchemasNumbers) {
  const std::string node(
      "\x08\x01\x12\x01"
      "a\x18\x04\x38\x05\x52\x0e\x0a\x09is_cpu_op\xd8\x01\x00",
      25);
  const TempFolder folder;
  write_bytes(folder.path / "a.0.et", std::string("\x07\x0a\x05") + "1.0.0" + std::string("\x19") + node);
  const trace::Trace trace = read(folder.path);
  ASSERT_THAT(trace.ranks[0].nodes, SizeIs(1));
  const trace::Node& read_node = trace.ranks[0].nodes[0];
  EXPECT_EQ(read_node.id, 1);
  EXPECT_EQ(trace.names[at(read_node.name)], "a");
  EXPECT_EQ(read_node.kind, NodeKind::compute);
  EXPECT_EQ(read_node.duration, std::chrono::microseconds(5));
}

TEST(Chakra, SortsNodesBehindWhatTheyNeed) {
  const OneFile file(
      ChakraText().add(chakra_compute(5, 1, {9})).add(chakra_compute(7, 1)).add(chakra_compute(9, 1, {7})));
  const trace::RankTrace rank = read(file.path).ranks.at(0);
  EXPECT_THAT((std::vector{rank.nodes[0].id, rank.nodes[1].id, rank.nodes[2].id}), ElementsAre(7, 9, 5));
  EXPECT_THAT(rank.needs.row(2), ElementsAre(1));
}

TEST(Chakra, KeepsDataAndControlDependenciesApart) {
  auto node = chakra_compute(3, 1, {1});
  node.add_ctrl_deps(2);
  const OneFile file(ChakraText().add(chakra_compute(1, 1)).add(chakra_compute(2, 1)).add(node));
  const trace::RankTrace rank = read(file.path).ranks.at(0);
  EXPECT_THAT(rank.needs.row(2), ElementsAre(0));
  EXPECT_THAT(rank.follows.row(2), ElementsAre(1));
}

TEST(Chakra, CountsAnAllGatherByItsResult) {
  const TempFolder folder;
  for (int rank = 0; rank < 4; ++rank)
    write_bytes(folder.path / ("job." + std::to_string(rank) + ".et"),
                ChakraText()
                    .add(chakra_collective(1, ChakraProtoMsg::ALL_GATHER, 100))
                    .add(chakra_collective(2, ChakraProtoMsg::ALL_GATHER, 100, rank < 2 ? "1" : "2"))
                    .add(chakra_collective(3, ChakraProtoMsg::REDUCE_SCATTER, 100))
                    .add(chakra_collective(4, ChakraProtoMsg::ALL_TO_ALL, 100))
                    .bytes);
  write_bytes(folder.path / "comm_group.json", R"({"1": [0, 1], "2": [2, 3]})");
  const trace::Trace trace = read(folder.path);
  EXPECT_EQ(trace.world, 4);
  const auto& nodes = trace.ranks.at(3).nodes;
  EXPECT_EQ(nodes[0].bytes, Bytes(400));
  EXPECT_EQ(nodes[1].bytes, Bytes(200));
  EXPECT_EQ(nodes[2].bytes, Bytes(100));
  EXPECT_EQ(nodes[3].bytes, Bytes(100));
  EXPECT_THAT(trace.groups[at(nodes[1].group)].ranks, ElementsAre(2, 3));
  EXPECT_EQ(written(trace, "job.3.et"), read_bytes(folder.path / "job.3.et"));
}

TEST(Chakra, RefusesANumberOutOfRangeInItsGroups) {
  const TempFolder folder;
  write_bytes(folder.path / "job.0.et", ChakraText().add(chakra_compute(1, 1)).bytes);
  write_bytes(folder.path / "groups.json", R"({"1": [0, 1e999]})");
  const auto path = [&](const char* name) { return (folder.path / name).string(); };
  EXPECT_THAT(complaints_about([&] { (void)read_trace({path("job.0.et"), path("groups.json")}, "chakra"); }),
              ElementsAre("a number is out of range"));
}

TEST(Chakra, TakesGroupsOfPyTorchsMetadata) {
  auto metadata = chakra_node(0, ChakraProtoMsg::METADATA_NODE);
  metadata.mutable_inputs()->set_values(
      R"(['[{"pg_name": "3", "ranks": [0, 5]}, {"pg_name": "0", "ranks": []}]'])");
  const OneFile file(
      ChakraText().add(metadata).add(chakra_collective(1, ChakraProtoMsg::ALL_REDUCE, 8, "3")));
  const trace::Trace trace = read(file.path);
  EXPECT_EQ(trace.world, 6);
  EXPECT_THAT(trace.groups.at(0).ranks, ElementsAre(0, 5));
}

TEST(Chakra, WritesWhatWasChanged) {
  const OneFile file(
      ChakraText().add(chakra_compute(1, 10)).add(chakra_collective(2, ChakraProtoMsg::ALL_GATHER, 64)));
  trace::Trace trace = read(file.path);
  trace.ranks[0].nodes[0].duration = SimTime(2'500'001);
  trace.ranks[0].nodes[1].bytes = Bytes(128);
  trace.ranks[0].follows.value = {0};
  trace.ranks[0].follows.offset = {0, 0, 1};
  const TempFolder out;
  format_named("chakra")->write(trace, out.path.string());
  const trace::Trace again = read(out.path);
  EXPECT_EQ(again.ranks[0].nodes[0].duration, SimTime(2'500'001));
  EXPECT_EQ(again.ranks[0].nodes[1].bytes, Bytes(128));
  EXPECT_THAT(again.ranks[0].follows.row(1), ElementsAre(0));
}

TEST(Chakra, ReadsOneFileOfManyOrAll) {
  const TempFolder folder;
  for (const int rank : {0, 1, 3})
    write_bytes(folder.path / ("job." + std::to_string(rank) + ".et"),
                ChakraText().add(chakra_compute(1, 1)).bytes);
  EXPECT_THAT(read(folder.path / "job.1.et").ranks, SizeIs(1));
  EXPECT_EQ(read(folder.path / "job.1.et").world, 4);
  const trace::Trace all = read(folder.path / "job");
  EXPECT_THAT(all.ranks, SizeIs(3));
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("1 of 4 ranks are not read: 2")));
}

TEST(Chakra, IsCutOffAnywhereWithoutHarm) {
  const std::string whole = everything().bytes;
  const TempFolder folder;
  const auto path = folder.path / "job.0.et";
  std::size_t refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(path, whole.substr(0, length));
    for (const std::string& what : complaints(path)) {
      EXPECT_THAT(what, HasSubstr("byte ")) << length;
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() - 10);  // all but the ends of messages
}

TEST(Chakra, NamesTheNodesOfACircle) {
  const OneFile file(ChakraText()
                         .add(chakra_compute(5, 1, {7}))
                         .add(chakra_compute(6, 1, {5}))
                         .add(chakra_compute(7, 1, {6}))
                         .add(chakra_compute(8, 1, {7})));
  EXPECT_THAT(complaints(file.path), ElementsAre(HasSubstr("cycle of 3: 5, 7, 6")));
}

TEST(Chakra, NamesEveryProblemWithItsByte) {
  const ChakraText start = ChakraText().add(chakra_compute(1, 1));
  ChakraText text = start;
  text.add(chakra_compute(1, 1)).add(chakra_compute(2, 1, {8}));
  text.add(chakra_collective(3, ChakraProtoMsg::ALL_REDUCE, -5));
  text.add(chakra_collective(4, ChakraProtoMsg::ALL_REDUCE, 5, "6"));
  const OneFile file(text);
  EXPECT_THAT(complaints(file.path),
              ElementsAre(HasSubstr("node 3 has a comm_size that is not a number"),
                          HasSubstr("byte " + std::to_string(start.bytes.size()) + ": node 1 occurs twice"),
                          HasSubstr("node 2 waits for node 8, which does not exist"),
                          HasSubstr("node 4 is of group \"6\", which is not defined")));
}

TEST(Chakra, RefusesAbsurdSizes) {
  auto big = chakra_compute(1, 1ULL << 63);
  EXPECT_THAT(complaints(OneFile(ChakraText().add(big)).path),
              ElementsAre(HasSubstr("node 1 takes 9223372036854775808")));
  ChakraText text;
  text.bytes += "\xff\xff\xff\xff\x0f";
  EXPECT_THAT(complaints(OneFile(text).path), ElementsAre(HasSubstr("claims 4294967295 bytes")));
}

TEST(Chakra, RefusesFieldsOfAnotherType) {
  ChakraText text;
  append_message(text.bytes, "\x0a\x01x");  // the id as a text
  EXPECT_THAT(complaints(OneFile(text).path), ElementsAre(HasSubstr("byte 8: field 1 of the node")));
  ChakraText old;
  append_message(old.bytes, "\x08\x01\x5a\x03\x0a\x01x");  // attributes were field 11 before 0.0.4
  EXPECT_THAT(complaints(OneFile(old).path), ElementsAre(HasSubstr("schema before 0.0.4")));
}

TEST(Chakra, NamesTheTracesOfAFolderOfSeveral) {
  const TempFolder folder;
  write_bytes(folder.path / "a.0.et", ChakraText().bytes);
  write_bytes(folder.path / "b.0.et", ChakraText().bytes);
  EXPECT_THAT(complaints(folder.path), ElementsAre(HasSubstr("several traces: a, b")));
}

TEST(Chakra, IsRecognisedByItsEnding) {
  const OneFile file(ChakraText().add(chakra_compute(1, 1)));
  EXPECT_STREQ(format_of(file.path.string()).name, "chakra");
  EXPECT_STREQ(format_of(file.folder.path.string()).name, "chakra");
}

}  // namespace
}  // namespace echo::trace_io
