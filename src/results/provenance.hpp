// /provenance and /failures: everything that may differ between two runs of the same sweep. Never part of the
// digest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/search_group.hpp"
#include "storage/hdf5.hpp"
#include "sweep/run/row.hpp"

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

// One failed attempt at a point. A later attempt may have succeeded.
struct Failure {
  sweep::PointIndex id = 0;
  std::int32_t launch = 0;
  std::string message;
};

struct Provenance {
  std::string program, version, git_commit, compiler, build_type, mpi, host, command;
  std::string sweep_toml, resolved_toml;  // verbatim, and with every default spelled out
  std::vector<InputFile> inputs;
  std::vector<Launch> launches;
  std::vector<Failure> failures;
  std::optional<SearchRecord> search;  // of a search for the best: written to /search
};

// Attributes, texts, inputs, launches, layer tables ("8 10 10 8"); makes /provenance/points with room for
// `rows` points along /config.
void write_provenance(storage::Hdf5File&, const Provenance&, const std::vector<std::string>& layer_tables,
                      std::uint64_t rows);
// /failures; `config[i]` is the row of failures[i], -1 where the file has no such row. Nothing when empty.
void write_failures(storage::Hdf5File&, const std::vector<Failure>&, const std::vector<std::int32_t>& config);

// All except attributes and texts: the part that another file carries over.
[[nodiscard]] std::vector<Launch> read_launches(const storage::Hdf5File&);
[[nodiscard]] std::vector<Failure> read_failures(const storage::Hdf5File&);
[[nodiscard]] std::vector<std::string> read_layer_tables(const storage::Hdf5File&);
// Everything under /provenance and /failures.
[[nodiscard]] Provenance read_provenance(const storage::Hdf5File&);

}  // namespace echo::results
