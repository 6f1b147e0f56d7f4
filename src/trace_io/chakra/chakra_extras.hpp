// Contents of Chakra files that a trace has no fields for: per node, the rest of its message
// (RankTrace::extras); per file, its metadata and the order of its nodes (Trace::extras).
#pragma once

#include <et_def.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::trace_io {

struct ChakraFile {
  std::string metadata;  // GlobalMetadata, serialized
  std::vector<std::int32_t>
      order;  // [nodes of the trace] where in the file each stood; empty: as in the trace
};

[[nodiscard]] std::string packed(const std::vector<ChakraFile>&);  // [ranks of the trace]
// Empty where they are none that packed() made.
[[nodiscard]] std::vector<ChakraFile> unpacked(const std::string& extras);

// The message as extras keep it, and back. False where these bytes are no message.
[[nodiscard]] std::string without_what_the_trace_says(ChakraProtoMsg::Node message);
[[nodiscard]] bool restore(const std::string& extra, ChakraProtoMsg::Node& message);

// Whether the extras of a trace are of this making.
[[nodiscard]] bool has_chakra_extras(const trace::Trace&);

}  // namespace echo::trace_io
