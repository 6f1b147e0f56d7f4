#include "results/write/block_packer.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"

namespace echo::results {

static void append_chunk(const RowDataset& dataset, std::span<const std::byte> values,
                         std::size_t chunk_bytes, storage::ChunkFilters& filters, PackedColumn& out) {
  const storage::ChunkForm form{storage::size_of(dataset.type), true, storage::is_real(dataset.type)};
  const auto stored = filters.pack_padded(values, chunk_bytes, form);
  out.sizes.push_back(static_cast<std::uint32_t>(stored.size()));
  out.chunks.append(reinterpret_cast<const char*>(stored.data()), stored.size());
}

void pack_column(const RowDataset& dataset, std::span<const std::byte> values, std::int64_t file_rows,
                 storage::ChunkFilters& filters, PackedColumn& out) {
  const std::size_t chunk = at(dataset.chunk_rows(file_rows)) * dataset.row_bytes();
  out.digest = hash128(values);
  out.sizes.clear(), out.chunks.clear();
  for (std::size_t from = 0; from < values.size(); from += chunk)
    append_chunk(dataset, values.subspan(from, std::min(chunk, values.size() - from)), chunk, filters, out);
}

void BlockPacker::pack_wide_chunk() {
  const std::int64_t rows = std::min(wide_chunk_rows, columns_.rows() - wide_rows_);
  for (std::size_t i = 0; i < row_datasets().size(); ++i) {
    const RowDataset& dataset = row_datasets()[i];
    if (dataset.width == 1) continue;
    Wide& wide = wide_[i];
    const auto values = columns_.bytes(i, wide_rows_, rows);
    wide.digest.add(values);
    append_chunk(dataset, values, at(dataset.chunk_rows(file_rows_)) * dataset.row_bytes(), filters_,
                 wide.packed);
  }
  wide_rows_ += rows;
}

Block BlockPacker::finish() {
  while (wide_rows_ < columns_.rows()) pack_wide_chunk();
  Block block{.first = columns_.first(),
              .rows = columns_.rows(),
              .findings = findings_of(columns_),
              .names = columns_.names(),
              .columns = std::vector<PackedColumn>(row_datasets().size())};
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    if (const auto wide = wide_.find(i); wide != wide_.end()) {
      block.columns[i] = std::move(wide->second.packed);
      block.columns[i].digest = wide->second.digest.hash();
    } else {
      pack_column(row_datasets()[i], columns_.bytes(i, 0, columns_.rows()), file_rows_, filters_,
                  block.columns[i]);
    }
  }
  wide_.clear(), wide_rows_ = 0;
  return block;
}

}  // namespace echo::results
