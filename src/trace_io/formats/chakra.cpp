// MLCommons Chakra execution traces, as ASTRA-sim runs them. Source: https://github.com/mlcommons/chakra,
// schema/protobuf/et_def.proto; comm_group.json: astra-sim/workload/Workload.cc. The meaning of the fields:
// chakra_node.cpp.
#include <google/protobuf/unknown_field_set.h>

#include <filesystem>

#include "base/error.hpp"
#include "trace_io/chakra/chakra_trace.hpp"
#include "trace_io/chakra/chakra_write.hpp"
#include "trace_io/format.hpp"
#include "trace_io/io/message_stream.hpp"
#include "trace_io/model/rank_files.hpp"

namespace echo::trace_io::formats {

namespace {

constexpr const char* ending = ".et";

bool recognises(const std::string& path, std::string_view head) {
  if (std::filesystem::is_directory(path)) return has_rank_files(path, ending);
  // PyTorch's own execution traces may end so too; they are JSON.
  return path.ends_with(ending) && !head.empty() && head.front() != '{' && head.front() != '[';
}

[[noreturn]] void fail(const std::string& path, std::int64_t offset, const std::string& what,
                       const char* remedy) {
  throw UserError({Problem{Place{path}, "byte " + std::to_string(offset) + ": " + what, remedy}});
}

// A known field of another wire type is kept as an unknown one by protobuf: the number gives it away.
int wrong_field(const google::protobuf::Message& message, int known) {
  const auto& unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() <= known) return unknown.field(i).number();
  return 0;
}

void check_fields(const ChakraProtoMsg::Node& node, const std::string& path, std::int64_t offset) {
  constexpr int node_fields = 10, attribute_fields = 32, old_attribute_field = 11;
  const auto& unknown = node.GetReflection()->GetUnknownFields(node);
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() == old_attribute_field)
      fail(path, offset, "the node has a schema before 0.0.4",
           "write it with a Chakra of October 2023 or later");
  if (const int field = wrong_field(node, node_fields); field != 0)
    fail(path, offset, "field " + std::to_string(field) + " of the node does not have Chakra's type",
         "check that the file is a Chakra trace, not another protobuf");
  for (const auto& attribute : node.attr())
    if (const int field = wrong_field(attribute, attribute_fields); field != 0)
      fail(path, offset,
           "field " + std::to_string(field) + " of an attribute of node " + std::to_string(node.id()) +
               " does not have Chakra's type",
           "check that the file is a Chakra trace of schema 0.0.4 or later");
}

std::int32_t read_rank(const RankFile& file, ChakraTraceBuilder& builder) {
  constexpr const char* damaged = "check that the file is a Chakra trace and complete";
  MessageStream stream(file.path);
  std::string bytes;
  ChakraProtoMsg::GlobalMetadata metadata;
  if (!stream.next(bytes)) fail(file.path, 0, "the file is empty", damaged);
  if (!metadata.ParseFromString(bytes)) fail(file.path, 0, "this is not a GlobalMetadata message", damaged);
  builder.add_rank(file, metadata, [&](ChakraProtoMsg::Node& node, std::int64_t& offset) {
    if (!stream.next(bytes)) return false;
    offset = stream.offset();
    if (!node.ParseFromString(bytes)) fail(file.path, offset, "this is not a Node message", damaged);
    check_fields(node, file.path, offset);
    return true;
  });
  return 0;
}

trace::Trace read(const Source& source) { return read_chakra(source, ending, read_rank); }

}  // namespace

extern const Format chakra{
    .name = "chakra",
    .summary = "MLCommons Chakra execution traces: NAME.<rank>.et, comm_group.json",
    .source = "github.com/mlcommons/chakra, schema 0.0.4 to 1.0.0",
    .recognises = recognises,
    .read = read,
    .write = write_chakra,
    .write_ranks = write_chakra_ranks,
    .loses = "the names of groups, which become numbers; notes; which ranks do the same",
    .is_of_every_rank = true};

}  // namespace echo::trace_io::formats
