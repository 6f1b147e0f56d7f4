// Chakra files for tests, message by message.
#pragma once

#include <et_def.pb.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/temp_file.hpp"
#include "trace_io/chakra/chakra_attributes.hpp"
#include "trace_io/io/message_stream.hpp"

namespace echo::testing {

struct TempFolder {
  TempFile place{"folder"};
  std::filesystem::path path = place.path;
  TempFolder() { std::filesystem::create_directories(path); }
  ~TempFolder() { std::filesystem::remove_all(path); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
};

struct ChakraText {
  std::string bytes;
  ChakraText() { add(metadata()); }
  static ChakraProtoMsg::GlobalMetadata metadata() {
    ChakraProtoMsg::GlobalMetadata out;
    out.set_version("0.0.4");
    return out;
  }
  template <class Message>
  ChakraText& add(const Message& message) {
    trace_io::append_message(bytes, message.SerializeAsString());
    return *this;
  }
};

inline ChakraProtoMsg::Node chakra_node(std::uint64_t id, ChakraProtoMsg::NodeType type,
                                        std::vector<std::uint64_t> data_deps = {}) {
  ChakraProtoMsg::Node out;
  out.set_id(id);
  out.set_name("op" + std::to_string(id));
  out.set_type(type);
  for (const std::uint64_t one : data_deps) out.add_data_deps(one);
  return out;
}

inline ChakraProtoMsg::Node chakra_compute(std::uint64_t id, std::uint64_t micros,
                                           std::vector<std::uint64_t> data_deps = {}) {
  auto out = chakra_node(id, ChakraProtoMsg::COMP_NODE, std::move(data_deps));
  out.set_duration_micros(micros);
  return out;
}

inline ChakraProtoMsg::Node chakra_collective(std::uint64_t id, int type, std::int64_t size,
                                              const std::string& group = {}) {
  using trace_io::WholeType;
  auto out = chakra_node(id, ChakraProtoMsg::COMM_COLL_NODE);
  trace_io::set_truth(out, "is_cpu_op", false);
  trace_io::set_whole(out, "comm_type", type, WholeType::int64);
  trace_io::set_whole(out, "comm_size", size, WholeType::int64);
  if (!group.empty()) trace_io::set_text(out, "pg_name", group);
  return out;
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace echo::testing
