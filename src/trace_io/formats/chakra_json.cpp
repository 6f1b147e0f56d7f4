// Chakra execution traces as JSON: the output of its jsonizer (the protobuf's messages one after the other,
// in protobuf's JSON form), and the workload_graph that its feeder reads. Source: src/jsonizer/jsonizer.py
// and src/feeder/json_node.cpp of https://github.com/mlcommons/chakra.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "trace_io/chakra/chakra_trace.hpp"
#include "trace_io/chakra/workload_graph.hpp"
#include "trace_io/format.hpp"
#include "trace_io/io/json_pieces.hpp"
#include "trace_io/model/rank_files.hpp"

namespace echo::trace_io::formats {

namespace {

constexpr const char* ending = ".json";
constexpr int deepest = 100;  // what writes values back calls itself for each level
constexpr const char* graph_key = "\"workload_graph\"";

bool looks_like_one(std::string_view head) {
  return head.starts_with('{') &&
         (head.find(graph_key) != std::string_view::npos || head.find("_NODE\"") != std::string_view::npos);
}

bool recognises(const std::string& path, std::string_view head) {
  if (!std::filesystem::is_directory(path)) return looks_like_one(head);
  if (!has_rank_files(path, ending)) return false;
  try {
    std::ifstream in(find_rank_files(path, ending).files.front().path, std::ios::binary);
    std::string begin(4096, '\0');
    in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(in.gcount()));
    return looks_like_one(begin);
  } catch (const UserError&) {
    return false;
  }
}

[[noreturn]] void fail(const std::string& path, std::int64_t offset, const std::string& what) {
  throw UserError({Problem{Place{path}, "byte " + std::to_string(offset) + ": " + what,
                           "write the JSON again with Chakra's jsonizer"}});
}

template <class Message>
void parse(const std::string& text, const std::string& path, std::int64_t offset, Message& out) {
  out.Clear();
  const auto status = google::protobuf::util::JsonStringToMessage(text, &out);
  if (status.ok()) return;
  std::string why(status.message());
  fail(path, offset, "this is not a " + out.GetDescriptor()->name() + ": " + why.substr(0, why.find('\n')));
}

std::int32_t read_graph(const RankFile& file, const std::string& text, std::int64_t offset,
                        ChakraTraceBuilder& builder) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text, [&](int depth, auto, auto&) {
      if (depth > deepest) fail(file.path, offset, "the JSON is nested too deeply");
      return true;
    });
  } catch (const nlohmann::json::parse_error& error) {
    fail(file.path, offset + static_cast<std::int64_t>(error.byte), "this is not JSON");
  } catch (const nlohmann::json::out_of_range&) {  // 1e999
    fail(file.path, offset, "a number of this object is out of range");
  }
  const auto graph = json.find("workload_graph");
  if (graph == json.end() || !graph->is_array()) fail(file.path, offset, "the workload_graph is not a list");
  std::int32_t ranks = 0;
  std::size_t next = 0;
  builder.add_rank(file, metadata_of_graph(json, ranks), [&](ChakraProtoMsg::Node& node, std::int64_t& at) {
    if (next == graph->size()) return false;
    std::string problem;
    at = offset;
    node = node_of_graph((*graph)[next++], problem);
    if (!problem.empty())
      fail(file.path, offset, "node " + std::to_string(next) + " of the graph: " + problem);
    return true;
  });
  return ranks;
}

std::int32_t read_rank(const RankFile& file, ChakraTraceBuilder& builder) {
  JsonPieces pieces(file.path);
  std::string text;
  if (!pieces.next(text)) fail(file.path, 0, "the file is empty");
  if (text.find(graph_key) != std::string::npos) return read_graph(file, text, pieces.offset(), builder);
  ChakraProtoMsg::GlobalMetadata metadata;
  parse(text, file.path, pieces.offset(), metadata);
  builder.add_rank(file, metadata, [&](ChakraProtoMsg::Node& node, std::int64_t& offset) {
    if (!pieces.next(text)) return false;
    offset = pieces.offset();
    parse(text, file.path, offset, node);
    return true;
  });
  return 0;
}

trace::Trace read(const Source& source) { return read_chakra(source, ending, read_rank); }

}  // namespace

extern const Format chakra_json{.name = "chakra_json",
                                .summary = "Chakra execution traces as JSON: NAME.<rank>.json",
                                .source = "github.com/mlcommons/chakra, its jsonizer and its feeder",
                                .recognises = recognises,
                                .read = read,
                                .write = nullptr};

}  // namespace echo::trace_io::formats
