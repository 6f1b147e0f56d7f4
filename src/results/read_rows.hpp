// Reads rows of a result by column name, batch by batch; used by `top`, `show` and all other readers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/file_header.hpp"
#include "results/provenance.hpp"
#include "storage/hdf5.hpp"

namespace echo::results {

struct ColumnInfo {
  std::string name, role, units, long_name, description;
  storage::ElementType type = storage::ElementType::i8;
  std::int64_t width = 1;             // values per row
  std::vector<std::string> meanings;  // of codes 0, 1, ...; empty where not coded
  std::vector<std::string> labels;    // of the second dimension ("forward", ...); empty when width is 1
  [[nodiscard]] bool is_real() const { return storage::is_real(type); }
};

class Table;

// The interface of a result, in a file or in memory.
class ResultRows {
 public:
  virtual ~ResultRows() = default;
  [[nodiscard]] std::int64_t rows() const { return contents.rows; }
  [[nodiscard]] const std::vector<ColumnInfo>& columns() const { return contents.columns; }
  [[nodiscard]] const FileState& state() const { return contents.state; }
  [[nodiscard]] const std::vector<Failure>& failures() const { return contents.failures; }
  [[nodiscard]] const ColumnInfo* find(std::string_view name) const;  // null when there is none
  [[nodiscard]] const ColumnInfo& at(std::string_view name) const;    // UserError, 2, when there is none

  // Rows [first, first + count), row-major; replaces `out`. Integers come exactly as integers, and as reals
  // too (config_id rounded). Contract of the first: the column is not real.
  virtual void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
                    std::vector<std::int64_t>& out) const = 0;
  virtual void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
                    std::vector<double>& out) const = 0;

  // The value that all these rows repeat, where that costs less than to read them; else nothing.
  [[nodiscard]] virtual std::optional<double> repeated(const ColumnInfo&, std::int64_t /*first*/,
                                                       std::int64_t /*count*/) const {
    return std::nullopt;
  }

  // These rows, in this order, with every column. `config` keeps their original row numbers.
  [[nodiscard]] Table pick(std::span<const std::int64_t> rows) const;
  // The same with what a config is made of alone: the inputs, and config_id.
  [[nodiscard]] Table pick_configs(std::span<const std::int64_t> rows) const;
  // The row whose config_id, as 16 hex digits, starts with `prefix`; nothing when none or several do.
  [[nodiscard]] std::optional<std::int64_t> row_of(std::string_view prefix) const;

 protected:
  struct Contents {
    std::int64_t rows = 0;
    std::vector<ColumnInfo> columns;
    FileState state;
    std::vector<Failure> failures;
  };
  Contents contents;  // filled by whoever derives, on construction
};

// One column in memory. Exactly one of `integers` and `reals` is filled.
struct ColumnValues : ColumnInfo {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
};

// Rows in memory.
class Table : public ResultRows {
 public:
  explicit Table(std::vector<ColumnValues> columns, FileState state = {}, std::vector<Failure> failures = {});
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<std::int64_t>& out) const override;
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<double>& out) const override;

  [[nodiscard]] double number(std::string_view column,
                              std::int64_t row) const;  // integers too; NaN = missing
  [[nodiscard]] std::int64_t integer(std::string_view column, std::int64_t row) const;
  [[nodiscard]] std::string text(std::string_view column,
                                 std::int64_t row) const;  // meaning of a coded column
  [[nodiscard]] double part(std::string_view column, std::int64_t row, std::string_view label) const;
  [[nodiscard]] std::uint64_t config_id(std::int64_t row) const;

 private:
  [[nodiscard]] const ColumnValues& values(std::string_view name) const;
  std::vector<ColumnValues> values_;
};

// Rows of a file: only one batch is in memory.
class ResultFile : public ResultRows {
 public:
  // UserError, 2: no such file. 5: not one of ours, or damaged.
  explicit ResultFile(const std::filesystem::path&);
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<std::int64_t>& out) const override;
  void read(const ColumnInfo&, std::int64_t first, std::int64_t count,
            std::vector<double>& out) const override;
  [[nodiscard]] std::optional<double> repeated(const ColumnInfo&, std::int64_t first,
                                               std::int64_t count) const override;
  [[nodiscard]] const storage::Hdf5File& file() const { return file_; }

 private:
  storage::Hdf5File file_;
};

inline constexpr std::int64_t scan_rows = 16384;  // a chunk of the file

// Several columns side by side, from the first row to the last: while (scan.next()) for i < scan.count() ...
// A column is read when a batch's values are first asked for.
class Scan {
 public:
  // From the row `start` on, which begins a chunk.
  Scan(const ResultRows& rows, std::span<const std::string> columns, std::int64_t start = 0);
  bool next();  // false at the end
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  // Values of this batch, [count() * width], in the order of the requested columns.
  [[nodiscard]] const std::vector<double>& values(std::size_t column) const {
    Column& asked = columns_[column];
    if (asked.first != first_) read(asked);
    return asked.values;
  }
  // The value that all of this batch are known to be; such a column need not be read. Nothing where they
  // differ, or might.
  [[nodiscard]] std::optional<double> repeated(std::size_t column) const {
    look(columns_[column]);
    return columns_[column].repeated;
  }

 private:
  struct Column {
    const ColumnInfo* info = nullptr;
    std::int64_t first = -1;  // of the batch whose values these are
    std::vector<double> values;
    std::optional<double> filled;  // what all of `values` were set to
    std::int64_t looked_at = -1;   // first row of the batch of which the next is known
    std::optional<double> repeated;
  };
  void look(Column&) const;
  void read(Column&) const;
  const ResultRows& rows_;
  mutable std::vector<Column> columns_;
  std::int64_t first_ = 0, count_ = 0;
};

}  // namespace echo::results
