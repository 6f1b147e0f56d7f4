// Attributes of Chakra's nodes: a name and a value of one of fifteen types.
#pragma once

#include <et_def.pb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace echo::trace_io {

// The first of that name, as ASTRA-sim takes it; null where there is none.
[[nodiscard]] const ChakraProtoMsg::AttributeProto* find_attribute(const ChakraProtoMsg::Node&,
                                                                   std::string_view name);
// A value of any whole type, or a truth; nothing where it is another, or does not fit.
[[nodiscard]] std::optional<std::int64_t> whole_value(const ChakraProtoMsg::AttributeProto&);

// Which type a new attribute gets: those that Chakra's own generators give it (the first reader of the
// format, src/feeder of mlcommons/chakra, knows each by one type only).
enum class WholeType : std::int8_t { int32, int64, uint64 };
// Changes the value and keeps its type, or appends an attribute of type `fresh`.
void set_whole(ChakraProtoMsg::Node&, std::string_view name, std::int64_t value, WholeType fresh);
void set_text(ChakraProtoMsg::Node&, std::string_view name, const std::string& value);
void set_truth(ChakraProtoMsg::Node&, std::string_view name, bool value);
void drop_attribute(ChakraProtoMsg::Node&, std::string_view name);

}  // namespace echo::trace_io
