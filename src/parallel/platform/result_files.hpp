// Result files as a launch sees them. Hdf5ResultFiles are the real ones; tests/simulation has files of its
// own on its own disk.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "results/file_header.hpp"
#include "results/provenance.hpp"
#include "results/write/block_builder.hpp"
#include "results/write/earlier_rows.hpp"
#include "results/write/result_file.hpp"
#include "results/write/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::parallel {

struct FileContents {
  results::RowStream& rows;
  const results::FileHeader& header;
  const results::Provenance& provenance;
  const results::EarlierRows* old = nullptr;       // of open(); null = none
  std::span<const sweep::PointIndex> new_numbers;  // of its rows; -1 = left out; empty = the numbers they had
};

class ResultFiles {
 public:
  virtual ~ResultFiles() = default;
  // Nothing when there is no such file; UserError 5: not a result file.
  [[nodiscard]] virtual std::optional<results::FileState> state(const std::filesystem::path&) const = 0;
  [[nodiscard]] virtual std::unique_ptr<results::EarlierRows> open(const std::filesystem::path&) const = 0;
  // Not ours to replace.
  [[nodiscard]] virtual bool is_of_another_program(const std::filesystem::path&) const = 0;
  // Writes into `unfinished`, which is there and empty, and reads it back. UserError 5.
  virtual results::WriteSummary build(const std::filesystem::path& unfinished, const FileContents&) const = 0;
  // For the rows of a worker, while it runs; null: none are made.
  [[nodiscard]] virtual std::unique_ptr<results::BlockBuilder> make_blocks(const results::FileHeader&,
                                                                           std::int32_t /*launch*/,
                                                                           std::int32_t /*worker*/) const {
    return nullptr;
  }
  // Opens a finished file and compares rows and digest. UserError 5 when it is not what was written.
  virtual void verify(const std::filesystem::path&, const results::WriteSummary&) const = 0;
};

class Hdf5ResultFiles : public ResultFiles {
 public:
  explicit Hdf5ResultFiles(const simulate::Catalog& catalog, results::NearestFinder nearest = {})
      : catalog_(catalog), nearest_(std::move(nearest)) {}
  [[nodiscard]] std::optional<results::FileState> state(const std::filesystem::path&) const override;
  [[nodiscard]] std::unique_ptr<results::EarlierRows> open(const std::filesystem::path&) const override;
  [[nodiscard]] bool is_of_another_program(const std::filesystem::path&) const override;
  results::WriteSummary build(const std::filesystem::path& unfinished, const FileContents&) const override;
  [[nodiscard]] std::unique_ptr<results::BlockBuilder> make_blocks(const results::FileHeader&,
                                                                   std::int32_t launch,
                                                                   std::int32_t worker) const override;
  void verify(const std::filesystem::path&, const results::WriteSummary&) const override;

 private:
  const simulate::Catalog& catalog_;
  results::NearestFinder nearest_;
};

}  // namespace echo::parallel
