#include "results/write/block_packer.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::results {
void pack_column(const RowDataset& dataset, std::span<const std::byte> values, std::int64_t file_rows,
                 storage::ChunkFilters& filters, PackedColumn& out) {
  const storage::ChunkForm form{storage::size_of(dataset.type), true, storage::is_real(dataset.type)};
  const std::size_t chunk = at(dataset.chunk_rows(file_rows)) * dataset.row_bytes();
  out.digest = hash128(values);
  out.sizes.clear(), out.chunks.clear();
  for (std::size_t from = 0; from < values.size(); from += chunk) {
    const auto stored =
        filters.pack_padded(values.subspan(from, std::min(chunk, values.size() - from)), chunk, form);
    out.sizes.push_back(static_cast<std::uint32_t>(stored.size()));
    out.chunks.append(reinterpret_cast<const char*>(stored.data()), stored.size());
  }
}

Block pack_block(const BlockColumns& columns, std::int64_t file_rows, storage::ChunkFilters& filters) {
  Block block{.first = columns.first(),
              .rows = columns.rows(),
              .findings = findings_of(columns),
              .names = columns.names(),
              .columns = std::vector<PackedColumn>(row_datasets().size())};
  for (std::size_t i = 0; i < block.columns.size(); ++i)
    pack_column(row_datasets()[i], columns.bytes(i), file_rows, filters, block.columns[i]);
  return block;
}

}  // namespace echo::results
