// Traces with one file per rank, PREFIX.RANK.ENDING, as named by Chakra and ASTRA-sim.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echo::trace_io {

struct RankFile {
  std::int32_t rank = 0;
  std::string path;
};

struct RankFiles {
  std::string folder, prefix;   // of all of them
  std::vector<RankFile> files;  // ascending
  std::int32_t ranks = 0;       // of the job, as far as the names beside `path` say
};

// `path`: a folder of files of one prefix; a file, which is then the only rank that is read (rank 0 where its
// name has no number); or FOLDER/PREFIX. Throws UserError, 2, where there is none or the folder has several.
[[nodiscard]] RankFiles find_rank_files(const std::string& path, std::string_view ending);
[[nodiscard]] bool has_rank_files(const std::string& folder, std::string_view ending);

// The ranks of 0 .. ranks - 1 that `RankFiles` lacks, in words; empty where it has all.
[[nodiscard]] std::string missing_ranks(const RankFiles&);

}  // namespace echo::trace_io
