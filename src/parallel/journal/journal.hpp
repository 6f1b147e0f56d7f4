// Writes finished rows to disk within a second, one file per launch and worker in FILE.h5.journal/. A kill
// loses at most the second not yet written; a torn tail is recognised by its checksum and dropped.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "parallel/journal/rows_frame.hpp"
#include "results/write/result_file.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

[[nodiscard]] std::filesystem::path journal_folder(
    const std::filesystem::path& result_file);  // FILE.h5.journal

struct JournalHeader {
  results::FileHeader sweep;  // is_partial is not kept
  std::int32_t launch = 0, worker = 0, workers = 1;
  std::string start;  // UTC, ISO 8601
};

// "launch-0003-worker-00012" and an extension: the file names of a worker of a launch.
[[nodiscard]] std::string worker_file_name(std::int32_t launch, std::int32_t worker, const char* ending);

// When rows reach the disk itself. never: a killed process, job or launcher loses nothing that was written,
// but the node's power, kernel or network file server may take what it had not written back (Linux: up to 30
// s). second: at most that much is open to such a loss. batch: every write is on the disk before work goes
// on.
enum class Fsync : std::int8_t { never, second, batch };

// Appends rows; writes with one write() what has gathered, at most twenty times a second, and less often
// where rows are few. A thread writes rows that waited for half a second, however long the next point takes.
// UserError 5 if the disk refuses; rows written before that stay readable.
class Journal {
 public:
  // Makes the folder and a new file.
  Journal(const std::filesystem::path& folder, const JournalHeader&, Fsync = Fsync::never);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();  // writes the buffered rows if possible
  void append(std::span<const sweep::Row>);
  void append(const sweep::Failure&);  // before its row
  void flush();
  void close(const std::string& stop_reason);  // flushes, and records how this worker ended

 private:
  void flush_held();  // these three: with the mutex held
  void write_frame(const std::string& payload);
  void sync();
  void flush_old(const std::stop_token&);
  std::filesystem::path path_;
  std::uint64_t key_;  // of its frames
  int file_ = -1;
  Fsync fsync_ = Fsync::never;
  RowsPacker packer_;
  std::vector<sweep::Row> buffer_;
  std::int64_t last_write_ = 0, last_sync_ = 0;  // monotonic nanoseconds
  std::optional<UserError> refusal_;             // error of the thread; the next call throws it
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // the last member: starts after all others exist
};

[[nodiscard]] std::string utc_now();  // "2026-11-20T04:41:07Z"

}  // namespace echo::parallel
