// Batches of fresh and carried rows into the datasets of a file, and the digest of each column as it goes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "results/code_tables.hpp"
#include "results/write/carry.hpp"
#include "results/write/column_bytes.hpp"
#include "results/write/merged_rows.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {

class ColumnWriter {
 public:
  // The datasets stand in `file` already. Keeps references to everything it is given.
  ColumnWriter(storage::Hdf5File& file, const FileContext& context, std::span<const CarriedFile> files,
               const std::vector<std::string>& layer_tables);
  void write(const MergedBatch&);  // batches in order, from the first
  // Digests of single columns, in schema order: of the written data, to be compared with the data read back.
  [[nodiscard]] std::vector<std::string> digests() const;

 private:
  const std::vector<std::byte>& woven(const MergedBatch&);
  template <class T, class Fresh, class Old>
  void write_point(const char* path, const MergedBatch&, Fresh fresh, Old old);
  void write_points(const MergedBatch&);

  storage::Hdf5File& file_;
  FileContext context_;
  std::span<const CarriedFile> files_;
  Carrier carrier_;
  std::vector<Digest> digests_;
  std::vector<std::byte> fresh_, old_, woven_;
};

}  // namespace echo::results
