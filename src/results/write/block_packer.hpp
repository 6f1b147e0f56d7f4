// Packs the values of a block as the file stores them, and puts such blocks together from single rows.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "results/write/block.hpp"
#include "results/write/block_columns.hpp"
#include "storage/chunk_filters.hpp"

namespace echo::results {

// The chunks of `values`, rows of a dataset that begin a chunk of a file of file_rows rows.
void pack_column(const RowDataset&, std::span<const std::byte> values, std::int64_t file_rows,
                 storage::ChunkFilters&, PackedColumn& out);

// Contract: the block ends where a chunk or the file does.
[[nodiscard]] Block pack_block(const BlockColumns&, std::int64_t file_rows, storage::ChunkFilters&);

// Makes whole blocks of the rows of one worker, of a file that has every point of its space: row and number
// of a point are the same there.
class BlockBuilder {
 public:
  virtual ~BlockBuilder() = default;
  // A row, in the order in which the worker has them. The parts (block.hpp) of the block that it completes;
  // empty where it completes none.
  [[nodiscard]] virtual std::vector<std::string> add(const sweep::Row&) = 0;
};
// Keeps references; launch and worker: of the rows.
[[nodiscard]] std::unique_ptr<BlockBuilder> make_block_builder(const simulate::Catalog&, const FileHeader&,
                                                               std::int32_t launch, std::int32_t worker);

}  // namespace echo::results
