// Finished rows on disk within a second, one file per launch and worker in FILE.h5.journal/. A kill costs at
// most the second not yet written; a torn tail is recognised by its checksum and dropped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "results/result_file.hpp"
#include "results/row_stream.hpp"
#include "sweep/row.hpp"

namespace echo::parallel {

[[nodiscard]] std::filesystem::path journal_folder(
    const std::filesystem::path& result_file);  // FILE.h5.journal

struct JournalHeader {
  std::string sweep_key;
  std::int32_t launch = 0, worker = 0, workers = 1;
  sweep::PointIndex ids = 0;  // of the whole sweep
  std::string start;          // UTC, ISO 8601
};

// Appends rows; writes with one write() what has gathered, at most twenty times a second. UserError 5 when
// the disk refuses.
class Journal {
 public:
  Journal(const std::filesystem::path& folder, const JournalHeader&);  // makes the folder and a new file
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();  // writes what is buffered where it still can
  void append(std::span<const sweep::Row>);
  void flush();
  void close(const std::string& stop_reason);  // flushes, and records how this worker ended

 private:
  void write_frame(const std::string& payload);
  std::filesystem::path path_;
  int file_ = -1;
  std::string buffer_;
  std::int64_t points_ = 0;
  std::int64_t last_write_ = 0;  // monotonic nanoseconds
};

// What all journals of a folder hold: an index of rows, read from disk when asked for.
class JournalRows : public results::RowStream {
 public:
  // A folder that is not there is empty. Journals of another sweep key ("" = any will do) or row layout:
  // UserError 5.
  JournalRows(const std::filesystem::path& folder, const std::string& sweep_key);
  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(index_.size()); }
  void read(std::int64_t first, std::span<results::FinishedRow> out) override;

  [[nodiscard]] std::vector<sweep::PointIndex> ids() const;  // ascending, each once
  [[nodiscard]] const std::vector<results::Launch>& launches() const { return launches_; }  // by number
  [[nodiscard]] sweep::PointIndex ids_of_sweep() const { return ids_of_sweep_; }  // 0 = no journal says
  [[nodiscard]] std::int32_t next_launch() const {
    return next_launch_;
  }                                                                      // a number no journal file bears yet
  [[nodiscard]] std::int64_t torn_bytes() const { return torn_bytes_; }  // dropped tails

 private:
  struct Entry {
    sweep::PointIndex id;
    std::size_t offset;
    std::int32_t source;
  };
  struct Unmap {
    std::size_t size = 0;
    void operator()(const char* bytes) const;
  };
  struct Source {
    std::unique_ptr<const char, Unmap> bytes;  // the file, mapped: rows are copied out when asked for
    std::int32_t launch = 0, worker = 0;
  };
  void index_file(const std::filesystem::path&, const std::string& sweep_key);
  void record_launch(const JournalHeader&);
  void record_end(std::int32_t launch, const std::string& end, const std::string& stop_reason);
  std::vector<Source> sources_;
  std::vector<Entry> index_;
  std::vector<results::Launch> launches_;
  std::vector<std::int32_t> closed_;  // [launch] workers that ended in order
  std::int64_t torn_bytes_ = 0;
  std::int32_t next_launch_ = 0;
  sweep::PointIndex ids_of_sweep_ = 0;
};

[[nodiscard]] std::string utc_now();  // "2026-11-20T04:41:07Z"

}  // namespace echo::parallel
