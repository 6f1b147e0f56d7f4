// Merges result files of one sweep, shards or snapshots, into one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "results/write/result_file.hpp"

namespace echo::results {

// The file that takes precedence if two have different rows of the same point.
enum class Prefer : std::int8_t { none, first, last };

// Writes `out` with the rows of all files in the order of their numbers; its digest is that of a run that did
// all of them. State is complete only where every point of the space is there. Launches are renumbered, files
// in the order given; `command` goes into the provenance, the rest of which is the first file's. UserError 2:
// files of different sweeps (it says in what they differ), or rows that differ and Prefer::none. UserError 5:
// a file that cannot be read or written.
WriteSummary merge_results(const std::filesystem::path& out, std::span<const std::filesystem::path> files,
                           Prefer prefer, const std::string& command);

}  // namespace echo::results
