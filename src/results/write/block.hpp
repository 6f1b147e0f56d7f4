// A block: as many consecutive rows of a file as a chunk of its columns holds, packed column by column as the
// file stores them, with what the file says about all its rows. Workers make blocks of their own rows while
// they run; whoever writes the file only places them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "results/columns.hpp"
#include "results/rank/effects.hpp"
#include "results/rank/robust_front.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {

inline constexpr std::int64_t block_rows = 16384;      // 128 KiB of doubles: a chunk of a plain column
inline constexpr std::int64_t wide_chunk_rows = 4096;  // a chunk of a two-dimensional column

// A dataset along the rows: a column of the schema, or one of /provenance/points.
struct RowDataset {
  std::string path;
  storage::ElementType type = storage::ElementType::f8;
  std::int64_t width = 1;
  const Column* column = nullptr;  // null: of /provenance/points
  [[nodiscard]] std::size_t row_bytes() const {
    return storage::size_of(type) * static_cast<std::size_t>(width);
  }
  // Rows of its chunks in a file of so many rows.
  [[nodiscard]] std::int64_t chunk_rows(std::int64_t file_rows) const {
    return std::min(file_rows, width > 1 ? wide_chunk_rows : block_rows);
  }
};
// In the order of the file: the columns of the schema, then /provenance/points.
[[nodiscard]] std::span<const RowDataset> row_datasets();
inline constexpr std::size_t point_datasets = 4;  // the last ones

// What rows say together. Rows are those of the file.
struct RowFindings {
  std::array<std::int64_t, 5> by_status{};  // [training::Status]
  FrontOutline outline;
  EffectSums effects;
};

struct PackedColumn {
  Hash128 digest{};                  // of its values
  std::vector<std::uint32_t> sizes;  // bytes of each chunk
  std::string chunks;                // one after the other
};

struct Block {
  std::int64_t first = 0, rows = 0;  // of the file
  RowFindings findings;
  // For each column that names a table (code_tables.hpp), in schema order: the indices into the catalogue
  // that its rows use. Its values count these, because codes depend on the names that the whole file uses.
  std::vector<std::vector<std::int32_t>> names;
  std::vector<PackedColumn> columns;  // [row_datasets()]
};

// As strings of bytes of at most a few MiB each. The first one, the head, has all but the columns.
[[nodiscard]] std::vector<std::string> parts_of(Block);
// Nothing where the bytes are not a head, or columns of this program's schema.
struct BlockHead {
  Block block;  // without columns
  std::int32_t parts = 0;
};
[[nodiscard]] std::optional<BlockHead> read_head(std::string_view part);
[[nodiscard]] bool read_columns(std::string_view part, std::vector<PackedColumn>& columns);  // appends

}  // namespace echo::results
