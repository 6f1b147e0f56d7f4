// Writes finished rows to disk within a second, one file per launch and worker in FILE.h5.journal/. A kill
// loses at most the second not yet written; a torn tail is recognised by its checksum and dropped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "parallel/journal/rows_frame.hpp"
#include "parallel/platform/disk.hpp"
#include "parallel/platform/host.hpp"
#include "results/write/result_file.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

[[nodiscard]] std::filesystem::path journal_folder(
    const std::filesystem::path& result_file);  // FILE.h5.journal

struct JournalHeader {
  results::FileHeader sweep;  // is_partial is not kept
  std::int32_t launch = 0, worker = 0, workers = 1;
  std::string start;  // UTC, ISO 8601
  std::string token;  // of the launch, in the names of its files; not kept in them
};

// "launch-0003-worker-00012-TOKEN" and an ending, without "-TOKEN" where there is none: the file names of a
// worker of a launch. With a token, no later launch makes a file of the same name.
[[nodiscard]] std::string worker_file_name(std::int32_t launch, std::int32_t worker, const char* ending,
                                           const std::string& token = "");
// Whether a name is one of those.
[[nodiscard]] bool is_worker_file(const std::string& name);

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
  Journal(const std::filesystem::path& folder, const JournalHeader&, Fsync = Fsync::never,
          Disk& = real_disk(), Host& = real_host());
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();  // writes and syncs the buffered rows if possible
  void append(std::span<const sweep::Row>);
  void append(const sweep::Failure&);  // before its row
  // Rows appended before, from `first` on, packed as the result file stores them.
  void append_block(sweep::PointIndex first, std::int64_t rows, std::span<const std::string> parts);
  void flush();
  void close(const std::string& stop_reason);  // flushes, and records how this worker ended

 private:
  void flush_held();  // these three: with the mutex held
  void write_frame(const std::string& payload);
  void sync_if_due();
  void flush_old();
  std::filesystem::path path_;
  Host& host_;
  std::uint64_t key_;               // of its frames
  std::unique_ptr<DiskFile> file_;  // null after a failed write, and when closed
  Fsync fsync_ = Fsync::never;
  std::vector<sweep::Row> buffer_;
  Host::Time last_write_{}, last_sync_{};
  bool is_synced_ = true;
  std::optional<UserError> refusal_;  // error of the ticker; the next call throws it
  std::unique_ptr<Ticker> ticker_;    // the last member: starts after all others exist
};

}  // namespace echo::parallel
