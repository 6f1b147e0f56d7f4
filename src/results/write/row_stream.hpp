// Finished rows in id order, read sequentially, possibly several times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sweep/run/row.hpp"

namespace echo::results {

struct FinishedRow {
  sweep::Row row;
  std::int32_t launch = 0, worker = 0;  // who did it: provenance only
};

struct RowStream {
  [[nodiscard]] virtual std::int64_t size() const = 0;
  // Rows [first, first + out.size()) in ascending id order; every id once. `first` is 0, which starts again,
  // or where the last call ended.
  virtual void read(std::int64_t first, std::span<FinishedRow> out) = 0;
  // Whether the rows from `first` on, where a call may continue, are at hand as the block that they are of
  // the file of all points (block.hpp).
  [[nodiscard]] virtual bool has_block(std::int64_t /*first*/) { return false; }
  // Contract of both: has_block(first). A part of the block; and past its rows, as if they had been read.
  [[nodiscard]] virtual std::string block_part(std::int64_t /*first*/, std::int32_t /*part*/) { return {}; }
  virtual void skip_block(std::int64_t /*first*/) {}
  virtual ~RowStream() = default;
};

// Rows held in memory, sorted on construction; of equal ids the first stays.
class RowsInMemory : public RowStream {
 public:
  explicit RowsInMemory(std::vector<FinishedRow> rows);
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(rows_.size()); }
  void read(std::int64_t first, std::span<FinishedRow> out) override;

 private:
  std::vector<FinishedRow> rows_;
};

}  // namespace echo::results
