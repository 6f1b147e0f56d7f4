// The result file: written whole from a stream of rows, and recognised again on a relaunch.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

struct InputFile {
  std::string name, path, hash;  // "llama3-70b", "sweeps/catalog/models/llama3-70b.toml", hex of XXH3-128
};

// One start of the program on this sweep; times are UTC, ISO 8601.
struct Launch {
  std::int32_t number = 0, workers = 1;
  std::string start, end;   // end is empty when the launch was killed
  std::int64_t points = 0;  // rows it wrote
  std::string stop_reason;  // "done", "stopped", "killed"
};

// Everything that may differ between two runs of the same sweep; kept under /provenance, outside the digest.
struct Provenance {
  std::string program, version, git_commit, compiler, build_type, mpi, host, command;
  std::string sweep_toml, resolved_toml;  // verbatim, and with every default spelled out
  std::vector<InputFile> inputs;
  std::vector<Launch> launches;
};

struct FileHeader {
  std::string name, title;  // of the sweep
  std::string sweep_key;    // hex: what must be equal for rows of two launches to be mixed
};

struct WriteSummary {
  std::string rows_digest;
  std::int64_t rows = 0;
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
};

// Writes `file`.tmp, reads it back (which yields the digest), syncs, and renames: readers see all or nothing.
// Memory does not grow with the number of rows, but for one code table and one batch.
WriteSummary write_results(const std::filesystem::path& file, RowStream&, const simulate::Catalog&,
                           const FileHeader&, const Provenance&);

// What an existing result file says of itself; nothing when there is no such file. Not a result file:
// UserError, 5.
struct FileState {
  std::string sweep_key, rows_digest, schema_version, name;
  std::int64_t rows = 0;
  std::array<std::int64_t, 5> by_status{};
  bool complete = false;
};
[[nodiscard]] std::optional<FileState> read_state(const std::filesystem::path& file);

// Recomputes the digest from the columns of a file.
[[nodiscard]] std::string digest_of(const std::filesystem::path& file);

}  // namespace echo::results
