// Packs the values of a block as the file stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "results/write/block.hpp"
#include "results/write/block_columns.hpp"
#include "storage/chunk_filters.hpp"

namespace echo::results {

// The chunks of `values`, rows of a dataset that begin a chunk of a file of file_rows rows.
void pack_column(const RowDataset&, std::span<const std::byte> values, std::int64_t file_rows,
                 storage::ChunkFilters&, PackedColumn& out);

// Contract: the block ends where a chunk or the file does.
[[nodiscard]] Block pack_block(const BlockColumns&, std::int64_t file_rows, storage::ChunkFilters&);

}  // namespace echo::results
