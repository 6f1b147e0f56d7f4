#include "parallel/journal/journal.hpp"

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "base/unforeseen.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {
namespace {

constexpr std::chrono::milliseconds write_gap(50), sync_gap(1000), longest_wait(500);
constexpr std::chrono::milliseconds patience(400);  // where rows are few
constexpr std::size_t few_rows = 16;                // packed together they take half the space
constexpr std::size_t most_gathered = 1024;         // rows
static_assert(most_gathered <= most_rows_in_frame && 2 * most_gathered * sizeof(sweep::Row) < longest_frame);

[[noreturn]] void refuse(const std::filesystem::path& path, const char* attempted, int reason) {
  throw UserError(
      std::string("cannot ") + attempted + " the journal \"" + path.string() + "\": " + std::strerror(reason),
      "free some space or write elsewhere with -o; rows written so far are kept", 5);
}

}  // namespace

std::string worker_file_name(std::int32_t launch, std::int32_t worker, const char* ending,
                             const std::string& token) {
  char text[64];
  std::snprintf(text, sizeof text, "launch-%04d-worker-%05d", launch, worker);
  return text + (token.empty() ? "" : "-" + token) + ending;
}

bool is_worker_file(const std::string& name) {
  int launch = 0, worker = 0, end = 0;
  if (std::sscanf(name.c_str(), "launch-%d-worker-%d%n", &launch, &worker, &end) != 2) return false;
  const auto dot = name.rfind('.');
  const auto start = static_cast<std::size_t>(end);
  if (dot == std::string::npos || dot < start) return false;
  const std::string token = dot == start ? "" : name.substr(start + 1, dot - start - 1);
  for (const char digit : token)
    if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) return false;
  for (const char* const ending : {".rows", ".claim"})
    if (name == worker_file_name(launch, worker, ending, token)) return true;
  return false;
}

std::filesystem::path journal_folder(const std::filesystem::path& result_file) {
  auto folder = result_file;
  folder += ".journal";
  return folder;
}

Journal::Journal(const std::filesystem::path& folder, const JournalHeader& header, Fsync fsync, Disk& disk,
                 Host& host)
    : path_(folder / worker_file_name(header.launch, header.worker, ".rows", header.token)),
      host_(host),
      key_(frame_key(header.sweep)),
      fsync_(fsync) {
  static_cast<void>(disk.make_folders(folder));  // a failure shows when the file is made
  auto made = disk.open(path_, Disk::Use::create);
  if (made.error != 0) refuse(path_, "make", made.error);
  file_ = std::move(made.it);
  write_frame(header_payload(header));
  if (fsync_ != Fsync::never)  // a file that has no name after a loss of power is lost with all its rows
    for (const auto& names : {folder, folder_of(folder)})
      if (const int error = disk.sync(names); error != 0) refuse(path_, "flush to disk", error);
  ticker_ = host.every(longest_wait, [this](const std::stop_token&) {
    flush_old();
    return longest_wait;
  });
}

Journal::~Journal() {
  ticker_.reset();
  if (file_ == nullptr) return;
  try {
    flush_held();
  } catch (const std::exception&) {
    return;  // no caller left to report to; a relaunch simulates the rows again
  }
  // Its launch failed, but the process may live on, waiting for the others: no ticker syncs these rows later.
  if (fsync_ != Fsync::never && !is_synced_) static_cast<void>(file_->sync());
}

void Journal::append(std::span<const sweep::Row> rows) {
  ECHO_EXPECT(ticker_ != nullptr);
  const std::scoped_lock held(*ticker_);
  if (refusal_) throw UserError(*refusal_);
  ECHO_EXPECT(file_ != nullptr);
  while (!rows.empty()) {
    const auto some = rows.first(std::min(most_gathered - buffer_.size(), rows.size()));
    buffer_.insert(buffer_.end(), some.begin(), some.end());
    rows = rows.subspan(some.size());
    const auto gap = buffer_.size() < few_rows ? patience : write_gap;
    if (buffer_.size() == most_gathered || host_.now() - last_write_ >= gap) flush_held();
  }
}

void Journal::append(const sweep::Failure& failure) {
  ECHO_EXPECT(ticker_ != nullptr);
  const std::scoped_lock held(*ticker_);
  if (refusal_) throw UserError(*refusal_);
  flush_held();
  write_frame(failure_payload(key_, failure));
}

void Journal::append_block(sweep::PointIndex first, std::int64_t rows, std::span<const std::string> parts) {
  ECHO_EXPECT(ticker_ != nullptr);
  const std::scoped_lock held(*ticker_);
  if (refusal_) throw UserError(*refusal_);
  flush_held();
  BlockMark mark{first, static_cast<std::int32_t>(rows), 0, static_cast<std::int32_t>(parts.size())};
  for (const std::string& part : parts) write_frame(block_payload(key_, mark, part)), ++mark.part;
}

void Journal::flush() {
  ECHO_EXPECT(ticker_ != nullptr);
  const std::scoped_lock held(*ticker_);
  if (refusal_) throw UserError(*refusal_);
  flush_held();
}

void Journal::close(const std::string& stop_reason) {
  flush();
  ticker_.reset();
  write_frame(end_payload(key_, {host_.utc(), stop_reason}));
  int error = fsync_ != Fsync::never ? file_->sync() : 0;
  if (error != 0) refuse(path_, "flush to disk", error);
  error = std::exchange(file_, nullptr)->close();
  if (error != 0) refuse(path_, "close", error);
}

void Journal::flush_old() {
  try {
    if (file_ == nullptr) return;
    flush_held();
    sync_if_due();
  } catch (const UserError& error) {
    refusal_ = error;
  } catch (const std::exception& error) {
    refusal_ = unforeseen(error);
  }
}

void Journal::flush_held() {
  if (buffer_.empty()) return;
  write_frame(rows_payload(key_, buffer_));
  buffer_.clear();
}

void Journal::write_frame(const std::string& payload) {
  ECHO_EXPECT(file_ != nullptr);
  const int error = file_->append(framed(payload));
  if (error != 0) {
    file_.reset();  // nothing may follow a torn frame
    refuse(path_, "write", error);
  }
  last_write_ = host_.now();
  is_synced_ = false;
  sync_if_due();
}

void Journal::sync_if_due() {
  if (fsync_ == Fsync::never || is_synced_) return;
  if (fsync_ == Fsync::second && host_.now() - last_sync_ < sync_gap) return;
  if (const int error = file_->sync(); error != 0) refuse(path_, "flush to disk", error);
  is_synced_ = true;
  last_sync_ = host_.now();
}

}  // namespace echo::parallel
