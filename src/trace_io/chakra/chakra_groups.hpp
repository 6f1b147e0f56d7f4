// Communicators of Chakra traces, by their names in pg_name attributes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace echo::trace_io {

using ChakraGroups = std::map<std::string, std::vector<std::int32_t>>;

// The communicator of all ranks, which Chakra leaves unnamed, is called this in a trace.
inline constexpr const char* all_ranks_name = "all";

// A file as ASTRA-sim takes it (--comm-group-configuration): {"1": [0, 1, 2, 3], "2": [4, 5, 6, 7]}. Throws
// UserError, 2, with every problem.
[[nodiscard]] ChakraGroups read_group_file(const std::string& path);

// The file that stands beside PREFIX.0.et: PREFIX.json, comm_group.json or PREFIX.comm_group.json, where it
// is of that form; empty where there is none.
[[nodiscard]] std::string group_file_beside(const std::string& folder, const std::string& prefix);

// The list in the inputs of a metadata node of PyTorch's observer: [{"pg_name": "1", "ranks": [0, 1], ...},
// ...], where ranks [] are all (left out here). Adds nothing where `values` is no such list.
void add_listed_groups(const std::string& values, ChakraGroups& groups);

// pg_name of each group of the trace: empty of the group of all ranks (of one role), else its own name, or,
// where `numbered`, a number where that is none (ASTRA-sim takes no other names, and 0 for all ranks).
[[nodiscard]] std::vector<std::string> pg_names(const trace::Trace&, bool numbered);
void write_group_file(const trace::Trace&, const std::vector<std::string>& names, const std::string& path);

}  // namespace echo::trace_io
