// Rows of a stream and rows of older files as one sequence in the order of their numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/write/row_stream.hpp"
#include "sweep/run/row.hpp"

namespace echo::results {

struct CarriedRow {
  sweep::PointIndex number = 0;  // in the new file
  std::uint32_t file = 0, row = 0;
};

// Whole chunks of every column, so that each chunk is compressed once.
inline constexpr std::int64_t batch_rows = 16384;  // 12 MB of rows

struct MergedBatch {
  std::int64_t first = 0;  // rows of the sequence before this batch
  std::vector<FinishedRow> fresh;
  std::vector<CarriedRow> carried;
  std::vector<std::int64_t> fresh_places, carried_places;  // of each, in the file
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(fresh.size() + carried.size()); }
};

class MergedRows {
 public:
  // Contract: `carried` ascends by number, and holds none of the stream's.
  MergedRows(RowStream& stream, std::span<const CarriedRow> carried) : stream_(stream), carried_(carried) {}
  // The next rows, batch_rows but for the last batch; empty at the end.
  void next(MergedBatch& out);

 private:
  bool load();  // false when the stream is exhausted
  RowStream& stream_;
  std::span<const CarriedRow> carried_;
  std::vector<FinishedRow> buffer_;
  std::size_t at_ = 0;                     // in the buffer
  std::int64_t streamed_ = 0, given_ = 0;  // rows read from the stream; rows handed out
};

}  // namespace echo::results
