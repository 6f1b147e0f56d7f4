#include "trace_io/chakra/chakra_extras.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace echo::trace_io {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;
using google::protobuf::io::StringOutputStream;

std::string packed(const std::vector<ChakraFile>& files) {
  std::string out;
  {
    StringOutputStream sink(&out);
    CodedOutputStream coded(&sink);
    coded.WriteVarint32(static_cast<std::uint32_t>(files.size()));
    for (const ChakraFile& file : files) {
      coded.WriteVarint32(static_cast<std::uint32_t>(file.metadata.size()));
      coded.WriteString(file.metadata);
      coded.WriteVarint32(static_cast<std::uint32_t>(file.order.size()));
      for (const std::int32_t place : file.order) coded.WriteVarint32(static_cast<std::uint32_t>(place));
    }
  }
  return out;
}

std::vector<ChakraFile> unpacked(const std::string& extras) {
  CodedInputStream coded(reinterpret_cast<const std::uint8_t*>(extras.data()),
                         static_cast<int>(extras.size()));
  std::uint32_t count = 0, length = 0;
  if (!coded.ReadVarint32(&count) || count > extras.size()) return {};
  std::vector<ChakraFile> files(count);
  for (ChakraFile& file : files) {
    if (!coded.ReadVarint32(&length) || length > extras.size()) return {};
    if (!coded.ReadString(&file.metadata, static_cast<int>(length))) return {};
    if (!coded.ReadVarint32(&length) || length > extras.size()) return {};
    file.order.resize(length);
    for (std::int32_t& place : file.order) {
      std::uint32_t value = 0;
      if (!coded.ReadVarint32(&value)) return {};
      place = static_cast<std::int32_t>(value);
    }
  }
  return files;
}

std::string without_what_the_trace_says(ChakraProtoMsg::Node message) {
  message.clear_id();
  message.clear_name();
  message.clear_data_deps();
  message.clear_ctrl_deps();
  return message.SerializeAsString();
}

bool restore(const std::string& extra, ChakraProtoMsg::Node& message) {
  return message.ParseFromString(extra);
}

bool has_chakra_extras(const trace::Trace& trace) {
  return trace.format == "chakra" || trace.format == "chakra_json";
}

}  // namespace echo::trace_io
