#include "parallel/journal/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "base/unforeseen.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t write_gap = 50'000'000;    // nanoseconds
constexpr std::int64_t patience = 400'000'000;    // nanoseconds, where rows are few
constexpr std::size_t few_rows = 16;              // packed together they take half the space
constexpr std::int64_t sync_gap = 1'000'000'000;  // nanoseconds
constexpr std::chrono::milliseconds longest_wait(500);
constexpr std::size_t most_gathered = 1024;  // rows
static_assert(most_gathered <= most_rows_in_frame && 2 * most_gathered * sizeof(sweep::Row) < longest_frame);

std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

[[noreturn]] void refuse(const std::filesystem::path& path, const char* attempted) {
  throw UserError(
      std::string("cannot ") + attempted + " the journal \"" + path.string() + "\": " + std::strerror(errno),
      "free some space or write elsewhere with -o; rows written so far are kept", 5);
}

}  // namespace

std::string worker_file_name(std::int32_t launch, std::int32_t worker, const char* ending) {
  char text[64];
  std::snprintf(text, sizeof text, "launch-%04d-worker-%05d%s", launch, worker, ending);
  return text;
}

std::filesystem::path journal_folder(const std::filesystem::path& result_file) {
  auto folder = result_file;
  folder += ".journal";
  return folder;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Journal::Journal(const std::filesystem::path& folder, const JournalHeader& header, Fsync fsync)
    : path_(folder / worker_file_name(header.launch, header.worker, ".rows")),
      key_(frame_key(header.sweep)),
      fsync_(fsync) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // a failure shows when the file is made
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) refuse(path_, "make");
  write_frame(header_payload(header));
  thread_ = std::jthread([this](const std::stop_token& stop) { flush_old(stop); });
}

Journal::~Journal() {
  thread_ = {};
  if (file_ < 0) return;
  try {
    flush_held();
  } catch (const std::exception&) {
    return;  // no caller left to report to; a relaunch simulates the rows again
  }
  ::close(file_);
}

void Journal::append(std::span<const sweep::Row> rows) {
  const std::scoped_lock held(mutex_);
  if (refusal_) throw UserError(*refusal_);
  ECHO_EXPECT(file_ >= 0);
  while (!rows.empty()) {
    const auto some = rows.first(std::min(most_gathered - buffer_.size(), rows.size()));
    buffer_.insert(buffer_.end(), some.begin(), some.end());
    rows = rows.subspan(some.size());
    const std::int64_t gap = buffer_.size() < few_rows ? patience : write_gap;
    if (buffer_.size() == most_gathered || monotonic_now() - last_write_ >= gap) flush_held();
  }
}

void Journal::append(const sweep::Failure& failure) {
  const std::scoped_lock held(mutex_);
  if (refusal_) throw UserError(*refusal_);
  flush_held();
  write_frame(failure_payload(key_, failure));
}

void Journal::flush() {
  const std::scoped_lock held(mutex_);
  if (refusal_) throw UserError(*refusal_);
  flush_held();
}

void Journal::close(const std::string& stop_reason) {
  thread_ = {};
  flush();
  write_frame(end_payload(key_, {utc_now(), stop_reason}));
  if (fsync_ != Fsync::never && ::fdatasync(file_) != 0) refuse(path_, "flush to disk");
  if (::close(std::exchange(file_, -1)) != 0) refuse(path_, "close");
}

void Journal::flush_old(const std::stop_token& stop) {
  std::unique_lock held(mutex_);
  while (!stop.stop_requested()) {
    wake_.wait_for(held, stop, longest_wait, [] { return false; });
    try {
      if (file_ >= 0) flush_held();
    } catch (const UserError& error) {
      refusal_ = error;
    } catch (const std::exception& error) {
      refusal_ = unforeseen(error);
    }
  }
}

void Journal::flush_held() {
  if (buffer_.empty()) return;
  write_frame(packer_.payload(key_, buffer_));
  buffer_.clear();
}

void Journal::write_frame(const std::string& payload) {
  ECHO_EXPECT(file_ >= 0);
  const std::string frame = framed(payload);
  for (std::size_t at = 0; at < frame.size();) {
    const ssize_t written = ::write(file_, frame.data() + at, frame.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int reason = errno;
      ::close(std::exchange(file_, -1));  // nothing may follow a torn frame
      errno = reason;
      refuse(path_, "write");
    }
    at += static_cast<std::size_t>(written);
  }
  last_write_ = monotonic_now();
  sync();
}

void Journal::sync() {
  if (fsync_ == Fsync::never) return;
  if (fsync_ == Fsync::second && monotonic_now() - last_sync_ < sync_gap) return;
  if (::fdatasync(file_) != 0) refuse(path_, "flush to disk");
  last_sync_ = monotonic_now();
}

}  // namespace echo::parallel
