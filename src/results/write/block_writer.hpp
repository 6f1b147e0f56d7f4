// Places blocks in a file, one after the other, and keeps what follows from all of them: the digest of the
// rows, the digest of what was stored, and the findings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "results/code_tables.hpp"
#include "results/file_header.hpp"
#include "results/rows_digest.hpp"
#include "results/write/block.hpp"
#include "storage/chunk_filters.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {

class BlockWriter {
 public:
  // The datasets stand in `file` already. Keeps references.
  BlockWriter(storage::Hdf5File& file, const CodeTables& codes, const FileHeader& header,
              std::int64_t file_rows);
  // Blocks in the order of the file. Without names their values are codes of the file.
  void place(Block);
  [[nodiscard]] std::string rows_digest() const { return digest_.hex(); }
  // The digest of the bytes of all chunks, in the order in which they were placed.
  [[nodiscard]] std::string stored_digest() const { return stored_.hex(); }
  // What all rows placed say together.
  [[nodiscard]] RowFindings findings() const;

 private:
  void give_codes(Block&);
  void recode(const RowDataset&, std::int64_t rows, std::span<const std::int8_t> codes, PackedColumn&);
  void add(const RowFindings&);
  storage::Hdf5File& file_;
  const CodeTables& codes_;
  std::int64_t file_rows_;
  storage::ChunkFilters filters_;
  Digest digest_;  // of the rows
  Digest stored_;
  Staircase front_;
  RowFindings findings_;
};

// The digest of the chunks of a file of these rows as they are stored, in the order in which they are placed.
[[nodiscard]] std::string stored_digest_of(const storage::Hdf5File&, std::int64_t rows);

}  // namespace echo::results
