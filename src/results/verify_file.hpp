// Whether a result file still is what was written: its checksums, everything in it read once, rows_digest
// computed again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/file_header.hpp"
#include "storage/block_sums.hpp"

namespace echo::results {

struct FileCheck {
  std::string schema_version, rows_digest;  // as the file has them; empty where it cannot be read
  std::int64_t rows = 0;
  bool has_sums = false;                    // files before schema 1.10 have none
  std::vector<storage::ByteRange> damaged;  // bytes that do not agree with their checksums
  std::vector<std::string> lost;            // what cannot be read: "/tp, rows 16384 to 32767"
  std::string problem;                      // what else is wrong; empty = nothing
  [[nodiscard]] bool is_sound() const { return damaged.empty() && lost.empty() && problem.empty(); }
};

// Never throws for what is wrong with the file; UserError, 2, where there is none.
[[nodiscard]] FileCheck verify_file(const std::filesystem::path&);

// read_state() of a file whose checksums all agree: a tenth of a second for a million rows. Nothing when
// there is no such file; UserError, 5, where they do not agree; it says where.
[[nodiscard]] std::optional<FileState> read_whole_state(const std::filesystem::path&);

}  // namespace echo::results
