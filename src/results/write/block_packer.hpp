// Packs the values of a block as the file stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "results/write/block.hpp"
#include "results/write/block_columns.hpp"
#include "storage/chunk_filters.hpp"

namespace echo::results {

// The chunks of `values`, rows of a dataset that begin a chunk of a file of file_rows rows.
void pack_column(const RowDataset&, std::span<const std::byte> values, std::int64_t file_rows,
                 storage::ChunkFilters&, PackedColumn& out);

// One block after the other.
class BlockPacker {
 public:
  // Keeps references.
  BlockPacker(const BlockColumns& columns, std::int64_t file_rows, storage::ChunkFilters& filters)
      : columns_(columns), file_rows_(file_rows), filters_(filters) {}
  // The next chunk of the wide columns, whose rows are the last that they hold. finish() packs those left.
  void pack_wide_chunk();
  // Contract: the block ends where a chunk or the file does.
  [[nodiscard]] Block finish();

 private:
  struct Wide {
    PackedColumn packed;
    Digest digest;
  };
  const BlockColumns& columns_;
  const std::int64_t file_rows_;
  storage::ChunkFilters& filters_;
  std::int64_t wide_rows_ = 0;        // of the block, packed
  std::map<std::size_t, Wide> wide_;  // by dataset
};

}  // namespace echo::results
