// Bytes of columns taken over from older files, row by row, in the codes of the new file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "results/code_tables.hpp"
#include "results/columns.hpp"
#include "results/write/block.hpp"
#include "results/write/merged_rows.hpp"
#include "results/write/result_file.hpp"

namespace echo::results {

// Every row of the files that has a number, ascending; of equal numbers the first file's. 16 bytes a row.
[[nodiscard]] std::vector<CarriedRow> carried_rows(std::span<const CarriedFile>);

// The names that `rows` use in coded columns.
[[nodiscard]] std::map<Names, std::set<std::string>> names_of(std::span<const CarriedFile>,
                                                              std::span<const CarriedRow> rows);

class Carrier {
 public:
  // `layer_tables`: of the new file. Keeps references to all of them.
  Carrier(std::span<const CarriedFile> files, const CodeTables& codes,
          const std::vector<std::string>& layer_tables)
      : files_(files), codes_(codes), layer_tables_(layer_tables) {}

  // The column's bytes of `rows`, in their order. Not for the scale: places are the writer's. Replaces `out`.
  void column_bytes(const Column&, std::span<const CarriedRow> rows, std::vector<std::byte>& out) const;
  // The same of a dataset whose values mean the same in every file.
  void plain_bytes(const std::string& path, std::size_t row_bytes, std::span<const CarriedRow> rows,
                   std::vector<std::byte>& out) const;
  // The same of a dataset of /provenance/points.
  void point_bytes(const RowDataset&, std::span<const CarriedRow> rows, std::vector<std::byte>& out) const;

 private:
  void translate_codes(const Column&, std::span<const CarriedRow> rows, std::vector<std::byte>& bytes) const;
  void translate_layers(const Column&, std::span<const CarriedRow> rows, std::vector<std::byte>& bytes) const;
  std::span<const CarriedFile> files_;
  const CodeTables& codes_;
  const std::vector<std::string>& layer_tables_;
};

}  // namespace echo::results
