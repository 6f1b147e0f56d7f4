// The JSON that Chakra's feeder accepts besides protobuf: {"workload_graph": [{"Id": 216, "NodeType": 4,
// ...}, ...]}. Source: src/feeder/json_node.cpp of mlcommons/chakra.
#pragma once

#include <et_def.pb.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace echo::trace_io {

// Fields beside the graph, as attributes; `ranks`: of the job where it says so (ngpus), else 0.
[[nodiscard]] ChakraProtoMsg::GlobalMetadata metadata_of_graph(const nlohmann::json& file,
                                                               std::int32_t& ranks);

// One node; what is wrong with it goes to `problem`. Fields of another name become text attributes.
[[nodiscard]] ChakraProtoMsg::Node node_of_graph(const nlohmann::json&, std::string& problem);

}  // namespace echo::trace_io
