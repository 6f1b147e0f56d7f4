// Writes a complete result file from a stream of rows and from rows of older files, and recognises it on a
// relaunch.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "results/file_header.hpp"
#include "results/nearest_group.hpp"
#include "results/provenance.hpp"
#include "results/write/old_rows.hpp"
#include "results/write/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

struct WriteSummary {
  std::string rows_digest;
  std::int64_t rows = 0;
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
};

// Writes a file beside `file`, reads it back as it is stored, syncs, and renames: readers see all or nothing.
// Memory does not grow with the number of streamed rows: one block, and rows near the front
// (robust_front.hpp).
//
// With `old`, its rows take part under the numbers `new_numbers` gives them (by row; -1 = left out; empty =
// the numbers they had). Where the stream has a row of the same number, that one counts. Columns, digest
// included, are those of a file written in one go. Launches and failures of `old` are carried over: launches
// in `provenance` are numbered from old->next_launch(). `file` may be the old file itself.
// UserError 5: the disk refuses. Contract: an old row's names and layer table are known to the new sweep.
WriteSummary write_results(const std::filesystem::path& file, RowStream&, const simulate::Catalog&,
                           const FileHeader&, const Provenance&, const OldRows* old = nullptr,
                           std::span<const sweep::PointIndex> new_numbers = {});

// A file whose rows, under these numbers, take part in a new one. If numbers are equal, the first
// file's row stays.
struct CarriedFile {
  const OldRows* rows = nullptr;
  std::span<const sweep::PointIndex> numbers;  // [rows->count()]; -1 = left out; empty = as they were
  std::int32_t first_launch = 0;               // number of its launch 0 in the new file
};
// The general form. Launches and failures of the carried files are carried over.
WriteSummary write_results(const std::filesystem::path& file, RowStream&, const simulate::Catalog&,
                           const FileHeader&, const Provenance&, std::span<const CarriedFile> carried);

// The same into `unfinished`, an existing file that it replaces: written and read back, not moved. A file of
// all points of its sweep has the entries of `nearest`, if it is given.
WriteSummary build_results(const std::filesystem::path& unfinished, RowStream&, const simulate::Catalog&,
                           const FileHeader&, const Provenance&, std::span<const CarriedFile> carried,
                           const NearestFinder& nearest = {});

// Opens a finished file, all of whose bytes must agree with their checksums, and compares rows and digest as
// it has them. UserError 5.
void verify_results(const std::filesystem::path& file, const WriteSummary& written);

}  // namespace echo::results
