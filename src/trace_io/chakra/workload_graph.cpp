#include "trace_io/chakra/workload_graph.hpp"

#include <algorithm>
#include <limits>

#include "trace_io/chakra/chakra_attributes.hpp"

namespace echo::trace_io {

using ChakraProtoMsg::Node;
using Json = nlohmann::json;

namespace {

bool unsigned_of(const Json& value, std::uint64_t& out) {
  if (!value.is_number_unsigned()) return false;
  out = value.get<std::uint64_t>();
  return true;
}

template <class Add>
bool each_id(const Json& list, const Add& add) {
  if (!list.is_array()) return false;
  std::uint64_t id = 0;
  for (const Json& one : list) {
    if (!unsigned_of(one, id)) return false;
    add(id);
  }
  return true;
}

// Numbers that become attributes, by the type that Chakra's generators give them.
bool set_attribute(const std::string& key, const Json& value, Node& node) {
  const auto whole = [&](WholeType type) {
    if (!value.is_number_integer()) return false;
    set_whole(node, key, value.get<std::int64_t>(), type);
    return true;
  };
  if (key == "num_ops" || key == "comm_type" || key == "comm_size" || key == "stream")
    return whole(WholeType::int64);
  if (key == "tensor_size") return whole(WholeType::uint64);
  if (key == "comm_src" || key == "comm_dst" || key == "comm_tag" || key == "comm_priority")
    return whole(WholeType::int32);
  if (key == "is_cpu_op") {
    if (!value.is_boolean()) return false;
    set_truth(node, key, value.get<bool>());
    return true;
  }
  set_text(node, key, value.is_string() ? value.get<std::string>() : value.dump());
  return true;
}

bool set_field(const std::string& key, const Json& value, Node& node) {
  std::uint64_t number = 0;
  if (key == "Id") {
    if (!unsigned_of(value, number)) return false;
    node.set_id(number);
  } else if (key == "Name") {
    if (!value.is_string()) return false;
    node.set_name(value.get<std::string>());
  } else if (key == "NodeType") {
    if (!unsigned_of(value, number) || number > std::numeric_limits<std::int16_t>::max()) return false;
    node.set_type(static_cast<ChakraProtoMsg::NodeType>(number));
  } else if (key == "runtime") {
    if (!unsigned_of(value, number)) return false;
    node.set_duration_micros(number);
  } else if (key == "data_deps") {
    return each_id(value, [&](std::uint64_t id) { node.add_data_deps(id); });
  } else if (key == "ctrlDeps" || key == "ctrl_deps") {
    return each_id(value, [&](std::uint64_t id) { node.add_ctrl_deps(id); });
  } else {
    return set_attribute(key, value, node);
  }
  return true;
}

}  // namespace

ChakraProtoMsg::GlobalMetadata metadata_of_graph(const Json& file, std::int32_t& ranks) {
  ChakraProtoMsg::GlobalMetadata out;
  ranks = 0;
  for (const auto& [key, value] : file.items()) {
    if (key == "workload_graph") continue;
    auto& attribute = *out.add_attr();
    attribute.set_name(key);
    attribute.set_string_val(value.is_string() ? value.get<std::string>() : value.dump());
    if (key == "ngpus" && value.is_number_unsigned())
      ranks = static_cast<std::int32_t>(std::min<std::uint64_t>(value.get<std::uint64_t>(), 1 << 20));
  }
  return out;
}

Node node_of_graph(const Json& json, std::string& problem) {
  Node out;
  if (!json.is_object()) {
    problem = "a node is not an object";
    return out;
  }
  for (const auto& [key, value] : json.items())
    if (!set_field(key, value, out) && problem.empty())
      problem = "\"" + key + "\" of a node has the wrong type";
  if (!json.contains("Id") && problem.empty()) problem = "a node has no \"Id\"";
  return out;
}

}  // namespace echo::trace_io
