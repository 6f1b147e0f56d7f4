// Rows of a stream and rows of older files as one sequence in the order of their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "results/write/block.hpp"
#include "results/write/row_stream.hpp"
#include "sweep/run/row.hpp"

namespace echo::results {

struct CarriedRow {
  sweep::PointIndex number = 0;  // in the new file
  std::uint32_t file = 0, row = 0;
};

// Rows of older files come as whole chunks of their columns, so that each is unpacked once.
inline constexpr std::int64_t batch_rows = 16384;
// Rows in memory take a kilobyte each.
inline constexpr std::int64_t stream_rows = 1024;

struct MergedBatch {
  std::int64_t first = 0;  // rows of the sequence before this batch
  std::vector<FinishedRow> fresh;
  std::vector<CarriedRow> carried;
  std::vector<std::int64_t> fresh_places, carried_places;  // of each, in the file
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(fresh.size() + carried.size()); }
  [[nodiscard]] std::int64_t end() const { return first + size(); }
};

class MergedRows {
 public:
  // Contract: `carried` ascends by number, and holds none of the stream's.
  MergedRows(RowStream& stream, std::span<const CarriedRow> carried) : stream_(stream), carried_(carried) {}
  // The next rows: up to the next multiple of batch_rows, or of stream_rows where only the stream is left;
  // empty at the end.
  void next(MergedBatch& out);
  // The block that the next rows are (RowStream::has_block), which are not given out then; nothing where they
  // are none. Rows of older files go between rows of the stream, whose blocks do not count then.
  [[nodiscard]] std::optional<BlockHead> next_head();
  void take_block(const BlockHead&, std::vector<PackedColumn>& columns);  // after next_head(): and past it
  void skip_block(const BlockHead&);                                      // past it

 private:
  bool load();  // false when the stream is exhausted
  [[nodiscard]] std::int64_t next_end() const;
  RowStream& stream_;
  std::span<const CarriedRow> carried_;
  std::vector<FinishedRow> buffer_;
  std::size_t at_ = 0;                     // in the buffer
  std::int64_t streamed_ = 0, given_ = 0;  // rows read from the stream; rows handed out
};

}  // namespace echo::results
