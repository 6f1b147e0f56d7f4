#include "trace_io/chakra/chakra_attributes.hpp"

#include <limits>

namespace echo::trace_io {

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::Node;

namespace {

std::optional<std::int64_t> fitting(std::uint64_t value) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

AttributeProto& named(Node& node, std::string_view name) {
  for (AttributeProto& one : *node.mutable_attr())
    if (one.name() == name) return one;
  AttributeProto& added = *node.add_attr();
  added.set_name(std::string(name));
  return added;
}

}  // namespace

const AttributeProto* find_attribute(const Node& node, std::string_view name) {
  for (const AttributeProto& one : node.attr())
    if (one.name() == name) return &one;
  return nullptr;
}

std::optional<std::int64_t> whole_value(const AttributeProto& attribute) {
  switch (attribute.value_case()) {
    case AttributeProto::kInt32Val:
      return attribute.int32_val();
    case AttributeProto::kInt64Val:
      return attribute.int64_val();
    case AttributeProto::kUint32Val:
      return attribute.uint32_val();
    case AttributeProto::kUint64Val:
      return fitting(attribute.uint64_val());
    case AttributeProto::kSint32Val:
      return attribute.sint32_val();
    case AttributeProto::kSint64Val:
      return attribute.sint64_val();
    case AttributeProto::kFixed32Val:
      return attribute.fixed32_val();
    case AttributeProto::kFixed64Val:
      return fitting(attribute.fixed64_val());
    case AttributeProto::kSfixed32Val:
      return attribute.sfixed32_val();
    case AttributeProto::kSfixed64Val:
      return attribute.sfixed64_val();
    case AttributeProto::kBoolVal:
      return attribute.bool_val() ? 1 : 0;
    default:
      return std::nullopt;
  }
}

void set_whole(Node& node, std::string_view name, std::int64_t value, WholeType fresh) {
  AttributeProto& one = named(node, name);
  switch (one.value_case()) {
    case AttributeProto::kInt32Val:
      return one.set_int32_val(static_cast<std::int32_t>(value));
    case AttributeProto::kInt64Val:
      return one.set_int64_val(value);
    case AttributeProto::kUint32Val:
      return one.set_uint32_val(static_cast<std::uint32_t>(value));
    case AttributeProto::kUint64Val:
      return one.set_uint64_val(static_cast<std::uint64_t>(value));
    default:
      break;
  }
  switch (fresh) {
    case WholeType::int32:
      return one.set_int32_val(static_cast<std::int32_t>(value));
    case WholeType::int64:
      return one.set_int64_val(value);
    case WholeType::uint64:
      return one.set_uint64_val(static_cast<std::uint64_t>(value));
  }
}

void set_text(Node& node, std::string_view name, const std::string& value) {
  named(node, name).set_string_val(value);
}

void set_truth(Node& node, std::string_view name, bool value) { named(node, name).set_bool_val(value); }

void drop_attribute(Node& node, std::string_view name) {
  for (int i = node.attr_size() - 1; i >= 0; --i)
    if (node.attr(i).name() == name) node.mutable_attr()->DeleteSubrange(i, 1);
}

}  // namespace echo::trace_io
