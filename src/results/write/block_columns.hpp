// The values of a block's rows, column by column, as bytes of the file, before they are packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "campaign/terms.hpp"
#include "results/code_tables.hpp"
#include "results/read_rows.hpp"
#include "results/write/block.hpp"
#include "results/write/fill.hpp"
#include "results/write/row_stream.hpp"
#include "simulate/catalog.hpp"

namespace echo::results {

// Memory: the bytes of block_rows rows of the file (or of its ids, if these are fewer), 16 MB; of wide
// columns, which are half of them, those of fewer rows where that is asked for.
class BlockColumns : public ResultRows {
 public:
  // Keeps references. `state`: what findings depend on. With codes, columns that name tables hold the codes
  // of the file; without, numbers that count names(). Wide columns hold the last rows put, as many as
  // held_wide_rows, block_rows or wide_chunk_rows, up to a multiple of it: bytes() has no others then, nor
  // does read().
  BlockColumns(const simulate::Catalog&, const campaign::Terms&, const FileState& state,
               const CodeTables* codes = nullptr, std::int64_t held_wide_rows = block_rows);

  void start(std::int64_t first);  // an empty block whose rows begin at this one of the file
  // At these rows of the file, which ascend. A value that the type cannot hold breaks a promise.
  void put(std::span<const FinishedRow>, std::span<const std::int64_t> places);
  // Bytes of one dataset of rows that an older file has.
  void put(std::size_t dataset, std::span<const std::byte> bytes, std::span<const std::int64_t> places);
  void set_rows(std::int64_t rows) { contents.rows = rows; }  // how many there are now

  [[nodiscard]] std::int64_t first() const { return first_; }
  // The bytes of some rows of the block. Contract: they are held.
  [[nodiscard]] std::span<const std::byte> bytes(std::size_t dataset, std::int64_t first,
                                                 std::int64_t rows) const;
  [[nodiscard]] const std::vector<std::vector<std::int32_t>>& names() const { return names_; }

  // As of a file of these rows; numbers of rows count from the block's first.
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<std::int64_t>& out) const override;
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<double>& out) const override;
  [[nodiscard]] std::optional<double> repeated(const ColumnInfo&, std::int64_t first,
                                               std::int64_t count) const override;

 private:
  [[nodiscard]] std::size_t mask_of(const RowDataset&) const;
  std::int64_t ordinal(std::size_t coded, std::int64_t name);
  struct Tile;
  void put_names(const Column&, std::size_t coded, const Tile&, std::byte* out);
  void put_column(std::size_t dataset, const Tile&);
  void put_points(const Tile&);
  const simulate::Catalog& catalog_;
  const campaign::Terms& terms_;
  const CodeTables* codes_;
  std::int64_t held_wide_rows_;
  std::int64_t first_ = 0;
  std::vector<std::vector<std::byte>> bytes_;     // [row_datasets()]
  std::vector<std::vector<std::int32_t>> names_;  // as in Block
  std::vector<std::size_t> coded_;                // [column] coded columns before it
  std::vector<Context> contexts_;                 // buffer of put()
};

// What is known of the rows of a block without the others.
[[nodiscard]] RowFindings findings_of(const BlockColumns&);

}  // namespace echo::results
