// The rows of all journals of a folder in the order of their numbers, read from disk on demand. Rows that are
// not this sweep's are left out: frames under another key, and frames whose first or last row has a config_id
// that is not what its number gives.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "parallel/dispatch/id_set.hpp"
#include "parallel/journal/journal.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/rows_frame.hpp"
#include "results/provenance.hpp"
#include "results/write/row_stream.hpp"

namespace echo::parallel {

// Consecutive rows of one file with consecutive numbers; either all failed, or none.
struct Extent {
  sweep::PointIndex first = 0;
  std::int64_t count = 0;
  std::int64_t frame = 0;     // offset in the file of the frame with the first row
  std::int32_t in_frame = 0;  // rows before it in that frame
  std::int32_t file = 0;      // index into the files of the folder
  bool is_failed = false;
};

// A block of rows that one worker packed (results/write/block.hpp).
struct PackedBlock {
  sweep::PointIndex first = 0;
  std::int32_t rows = 0, file = 0;  // file: as in Extent
  std::vector<std::int64_t> parts;  // offsets of their frames
};

// A frame left out because its rows are not this sweep's.
struct ForeignFrame {
  std::filesystem::path file;
  std::int64_t offset = 0, rows = 0;
};

// What rows must be to be taken.
struct RowCheck {
  sweep::PointIndex size = 0;                                 // of the space; 0 = not checked, nor the next
  std::function<std::uint64_t(sweep::PointIndex)> config_id;  // of a number
  std::vector<ForeignFrame> known;  // foreign() of an earlier reading: left out again
};

class ExtentCursor;
class FrameCache;

// If rows have the same number, one that did not fail is kept, otherwise the one of the lowest launch and
// worker.
class JournalRows : public results::RowStream {
 public:
  // A folder that is not there is empty. Takes the journals of `sweep_key`; "" = of the newest launch's key.
  JournalRows(const std::filesystem::path& folder, const std::string& sweep_key, const RowCheck& = {},
              Disk& = real_disk());
  ~JournalRows() override;

  [[nodiscard]] std::int64_t size() const override { return done_.count(); }
  // Cheap if a call continues where the previous one ended; otherwise it starts over.
  void read(std::int64_t first, std::span<results::FinishedRow> out) override;
  // Where all rows up to the end of a block are there, so that they have their numbers in a file, and those
  // of the block are the worker's who packed it. UserError 5 if the file no longer has the frame.
  [[nodiscard]] bool has_block(std::int64_t first) override { return find_block(first) != nullptr; }
  [[nodiscard]] std::string block_part(std::int64_t first, std::int32_t part) override;
  void skip_block(std::int64_t first) override;

  [[nodiscard]] const IdSet& done() const { return done_; }  // numbers that have a row
  [[nodiscard]] const IdSet& failed() const {
    return failed_;
  }  // the numbers whose row has the status failed
  [[nodiscard]] const std::array<std::int64_t, 5>& by_status() const { return by_status_; }
  [[nodiscard]] const std::vector<results::Launch>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<results::Failure>& failures() const { return failures_; }  // every attempt
  [[nodiscard]] const std::vector<JournalHeader>& headers() const { return headers_; }  // one per file used
  [[nodiscard]] const std::vector<StoredHeader>& others() const {
    return others_;
  }  // other keys, or written by another program
  [[nodiscard]] const std::vector<ForeignFrame>& foreign() const { return foreign_; }  // by file and offset
  [[nodiscard]] std::int32_t next_launch() const { return next_launch_; }  // a number no file bears yet
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }  // used
  [[nodiscard]] bool is_cut_short() const { return is_cut_short_; }      // a disk failed to read one of them
  [[nodiscard]] std::int64_t torn_bytes() const { return torn_bytes_; }  // dropped tails
  [[nodiscard]] std::size_t index_bytes() const { return extents_.capacity() * sizeof(Extent); }

 private:
  void finish_index();
  void index_file(const std::filesystem::path&, const RowCheck&);
  void index_rows(const RowsIndex&, std::int64_t frame);
  void index_block(const BlockMark&, std::int64_t frame);
  void keep_whole_blocks();
  [[nodiscard]] const PackedBlock* find_block(sweep::PointIndex first) const;
  void start_over();
  results::Launch& launch_of(const JournalHeader&);
  void count_again();
  void activate_extents();
  Disk* disk_;
  std::vector<std::filesystem::path> files_;  // taken
  std::vector<JournalHeader> headers_;
  std::vector<StoredHeader> others_;
  std::vector<Extent> extents_;      // by first number
  std::vector<PackedBlock> blocks_;  // by first number
  PackedBlock begun_;                // parts of a block whose last one is yet to come
  std::vector<ForeignFrame> foreign_;
  bool starts_extent_ = true;  // the next row continues no extent
  std::vector<results::Failure> failures_;
  std::vector<results::Launch> launches_;
  std::vector<std::int32_t> closed_;  // [launch] workers that ended in order
  std::array<std::int64_t, 5> by_status_{};
  IdSet done_, failed_;
  bool is_cut_short_ = false;
  std::int64_t torn_bytes_ = 0;
  std::int32_t next_launch_ = 0;
  // Where read() is.
  std::int64_t position_ = 0;
  std::size_t next_extent_ = 0;
  std::unique_ptr<FrameCache> frames_;
  std::vector<ExtentCursor> active_;  // extents that overlap the next number; one, but for rows done twice
};

}  // namespace echo::parallel
