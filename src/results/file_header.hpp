// The root attributes of a result file.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/terms.hpp"
#include "storage/hdf5.hpp"
#include "sweep/run/row.hpp"
#include "sweep/spec.hpp"

namespace echo::results {

// [simulate] and [workload] of the sweep: what rows depend on beside their configs, the presets and the
// constants. In the words of sweep files.
struct RowSettings {
  std::string slowdown, contention;   // empty in files before schema 1.7, which do not say
  std::string setting = "benchmark";  // which it was in files before schema 1.9
  double skew_sigma = 0.0;
  std::int64_t skew_draws = 0;  // 0 = GPUs are alike
  // The replayed trace; times is empty where there is none. Groups by name, one per line.
  std::string workload_format, workload_gpu, workload_times, workload_data_groups;
  double workload_tokens = 0.0;  // 0 = not given
  std::string what_if;  // "cluster.nic_rate=800 Gb/s; gpu.flops=x2"; empty: hardware as its presets have it
  friend bool operator==(const RowSettings&, const RowSettings&) = default;
};

struct FileHeader {
  std::string name, title;  // of the sweep
  // Keys, hex. sweep_key: of everything. row_key: must be equal for rows to share a file. The others show
  // what a difference comes from: the program, the presets, the fitted constants, the axes and rules.
  std::string sweep_key, row_key, code_key, catalog_key, calibration_key, space_key;
  std::string shard;            // "2/8"; empty = not one of several
  sweep::PointIndex ids = 0;    // points of the whole space; 0 = as many as there are rows
  bool is_partial = false;      // points are missing: a snapshot, a stopped launch, a shard
  campaign::Terms terms;        // of the whole training; read back: the tokens and the currency
  std::string reliability;      // campaign::describe() of them; empty = train_time is without failures
  double min_fit_chance = 0.0;  // chance to fit that a row needs to be ranked; 0 in files before schema 1.8
  RowSettings settings;
  std::vector<sweep::Objective> objectives;  // the first ranks; empty = the schema's own
  std::vector<std::string> limit_names;      // by Row::limit; words without blanks, each once
  friend bool operator==(const FileHeader&, const FileHeader&) = default;
};

// What an updated file says of its measured runs as a whole (updated_file.hpp).
struct MeasuredState {
  std::int64_t runs = 0;  // 0: the file has predictions alone
  double spread = 1.0;    // settle::Conditioning::spread()
};

struct FileState : FileHeader {
  std::string rows_digest, schema_version;
  std::int64_t rows = 0;
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
  bool complete = false;
  std::string resolved_toml;      // the sweep with every default; empty where the file does not say
  std::vector<std::string> axes;  // that it turns (swept_axes.hpp)
  MeasuredState measured;
};

// `file`, which is there; UserError, 2, where it is not.
[[nodiscard]] const std::filesystem::path& existing(const std::filesystem::path& file);

// Whether `file` begins as HDF5 files do, and so is no sweep. False where it cannot be read.
[[nodiscard]] bool is_result(const std::filesystem::path& file);

// The description in an existing result file; nothing when there is no such file. Not a result file:
// UserError, 5.
[[nodiscard]] std::optional<FileState> read_state(const std::filesystem::path& file);
[[nodiscard]] FileState read_state(const storage::Hdf5File&, const std::filesystem::path& name);

// Whether it opens as HDF5 that is not a result file of this program: not ours to replace.
[[nodiscard]] bool is_of_another_program(const std::filesystem::path& file);

// All but the digest and `state`, which are set once the file is known to be whole.
void write_header(storage::Hdf5File&, const FileHeader&, std::int64_t rows,
                  const std::array<std::int64_t, 5>& by_status);

}  // namespace echo::results
