// Converts between a node of a Chakra trace and a trace::Node. Its fields are explained in chakra_node.cpp.
#pragma once

#include <et_def.pb.h>

#include <set>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::trace_io {

// A node before its names and groups have numbers.
struct ChakraOp {
  trace::Node node;              // `name` and `group` are not filled; `bytes` as the file counts, `kernel` as
                                 // its metadata does (ChakraFacts::kernels)
  std::string group;             // pg_name; empty: all ranks of the job
  bool counts_one_rank = false;  // `bytes` is what one rank puts in of a result `ranks` times as large
};

// The contents of the node. `problems`: the errors in it; `notes`: the assumptions made, once for each kind.
[[nodiscard]] ChakraOp understand(const ChakraProtoMsg::Node&, std::vector<std::string>& problems,
                                  std::set<std::string>& notes);

// A message of the node's type that says nothing else yet.
[[nodiscard]] ChakraProtoMsg::Node fresh_message(const trace::Node&);

// Makes the message say `wanted`; what it says already, and all that understand() does not read, stays as it
// is. `micros`: the duration to write where it changes.
void state(const ChakraOp& wanted, std::uint64_t micros, ChakraProtoMsg::Node& message);

// Bytes of ops::CollectiveQuery::payload and of comm_size of a group of so many ranks.
[[nodiscard]] Bytes payload_of(const ChakraOp&, std::size_t ranks);
[[nodiscard]] Bytes comm_size_of(const ChakraOp&, Bytes payload, std::size_t ranks);

}  // namespace echo::trace_io
