// The rows of an existing result file, to be carried into a new one: which points they are. 17 bytes a row.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/at.hpp"
#include "results/columns.hpp"
#include "results/file_header.hpp"
#include "results/provenance.hpp"
#include "results/write/earlier_rows.hpp"
#include "storage/hdf5.hpp"
#include "sweep/run/row.hpp"
#include "training/feasibility.hpp"

namespace echo::results {

class OldRows : public EarlierRows {
 public:
  // Keeps the file open. UserError 5: no such file, not a result file, or one of another schema version.
  explicit OldRows(const std::filesystem::path&);
  [[nodiscard]] std::int64_t count() const override { return static_cast<std::int64_t>(ids_.size()); }
  // Contract: 0 <= row < count().
  [[nodiscard]] std::uint64_t config_id(std::int64_t row) const override { return ids_[at(row)]; }
  [[nodiscard]] sweep::PointIndex number(
      std::int64_t row) const override {  // in the space the file was written for
    return numbers_[at(row)];
  }
  [[nodiscard]] training::Status status(std::int64_t row) const override {
    return static_cast<training::Status>(status_[at(row)]);
  }
  [[nodiscard]] const FileState& state() const override { return state_; }
  [[nodiscard]] const std::vector<Launch>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
  // Explicit layers per chunk by the file's layer_split codes, as text: "8 10 10 8".
  [[nodiscard]] const std::vector<std::string>& layer_tables() const { return layer_tables_; }
  [[nodiscard]] std::int32_t next_launch() const override;  // a number none of its launches bears

  // The words of a coded column, by code; empty for other columns and in a file without rows.
  [[nodiscard]] std::vector<std::string> meanings(const Column&) const;
  [[nodiscard]] const storage::Hdf5File& file() const { return file_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  storage::Hdf5File file_;
  FileState state_;
  std::vector<std::uint64_t> ids_;
  std::vector<sweep::PointIndex> numbers_;
  std::vector<std::int8_t> status_;
  std::vector<Launch> launches_;
  std::vector<Failure> failures_;
  std::vector<std::string> layer_tables_;
};

}  // namespace echo::results
