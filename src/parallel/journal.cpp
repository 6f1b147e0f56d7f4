#include "parallel/journal.hpp"

#include <fcntl.h>
#include <sys/mman.h>
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
#include "parallel/journal_frames.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t write_gap = 50'000'000;  // nanoseconds
constexpr std::size_t most_held = std::size_t{16}
                                  << 20;  // bytes of a mapped journal kept while it is indexed
constexpr std::size_t page = 4096;
constexpr std::size_t largest_buffer = std::size_t{1} << 20;

std::int64_t monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

[[noreturn]] void refuse(const std::filesystem::path& path, const char* attempted) {
  throw UserError(
      std::string("cannot ") + attempted + " the journal \"" + path.string() + "\": " + std::strerror(errno),
      "make room or write elsewhere with -o; rows written so far are kept", 5);
}

// Pages of a mapped journal that were read go back to the page cache: memory stays bounded however many rows
// there are.
void let_go(const char* bytes, std::size_t size) { ::madvise(const_cast<char*>(bytes), size, MADV_DONTNEED); }

std::string file_name(const JournalHeader& header) {
  char text[64];
  std::snprintf(text, sizeof text, "launch-%04d-worker-%05d.rows", header.launch, header.worker);
  return text;
}

}  // namespace

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

Journal::Journal(const std::filesystem::path& folder, const JournalHeader& header)
    : path_(folder / file_name(header)) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // a failure shows when the file is made
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) refuse(path_, "make");
  write_frame(header_payload(header));
}

Journal::~Journal() {
  if (file_ < 0) return;
  try {
    flush();
  } catch (const UserError&) {
    return;  // nobody left to tell; the rows are done again on a relaunch
  }
  ::close(file_);
}

void Journal::append(std::span<const sweep::Row> rows) {
  ECHO_EXPECT(file_ >= 0);
  if (buffer_.empty()) {
    const auto kind = FrameKind::rows;
    buffer_.append(reinterpret_cast<const char*>(&kind), sizeof kind);
  }
  buffer_.append(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
  if (buffer_.size() >= largest_buffer || monotonic_now() - last_write_ >= write_gap) flush();
}

void Journal::flush() {
  if (buffer_.empty()) return;
  write_frame(std::exchange(buffer_, {}));
}

void Journal::close(const std::string& stop_reason) {
  flush();
  write_frame(end_payload({utc_now(), stop_reason}));
  if (::close(std::exchange(file_, -1)) != 0) refuse(path_, "close");
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
}

JournalRows::JournalRows(const std::filesystem::path& folder, const std::string& sweep_key) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".rows") files.push_back(entry.path());
  std::ranges::sort(
      files);  // by launch and worker: which of two equal rows is kept does not depend on the disk
  for (const auto& file : files) {
    int launch = 0;  // from the name: a launch killed before it wrote a header counts too
    if (std::sscanf(file.filename().c_str(), "launch-%d-", &launch) == 1)
      next_launch_ = std::max(next_launch_, launch + 1);
    index_file(file, sweep_key);
  }
  std::ranges::stable_sort(index_, {}, &Entry::id);
  const auto repeated = std::ranges::unique(index_, {}, &Entry::id);
  index_.erase(repeated.begin(), repeated.end());
  for (const Entry& entry : index_) {
    const std::int32_t number = sources_[static_cast<std::size_t>(entry.source)].launch;
    ++std::ranges::find(launches_, number, &results::Launch::number)->points;
  }
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (closed_[i] < launches_[i].workers) launches_[i].stop_reason = "killed";
}

void JournalRows::Unmap::operator()(const char* bytes) const { ::munmap(const_cast<char*>(bytes), size); }

void JournalRows::record_launch(const JournalHeader& header) {
  if (std::ranges::find(launches_, header.launch, &results::Launch::number) != launches_.end()) return;
  launches_.push_back({.number = header.launch, .workers = header.workers, .start = header.start});
  closed_.push_back(0);
}

void JournalRows::record_end(std::int32_t number, const std::string& end, const std::string& stop_reason) {
  const auto found = std::ranges::find(launches_, number, &results::Launch::number);
  ++closed_[static_cast<std::size_t>(found - launches_.begin())];
  found->end = std::max(found->end, end);
  found->stop_reason = std::max(found->stop_reason, stop_reason);  // "stopped" of any worker beats "done"
}

void JournalRows::index_file(const std::filesystem::path& path, const std::string& sweep_key) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, "read");
  const auto size = static_cast<std::size_t>(::lseek(file, 0, SEEK_END));
  void* const mapped = size == 0 ? nullptr : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (size == 0) return;  // killed before its header was written
  if (mapped == MAP_FAILED) refuse(path, "read");
  const std::string_view bytes(static_cast<const char*>(mapped), size);
  sources_.push_back({std::unique_ptr<const char, Unmap>(bytes.data(), Unmap{size})});

  const auto head = first_frame(bytes);
  const auto stored = head ? read_header(*head) : std::nullopt;
  if (!stored) {  // torn in the header: it holds no row
    torn_bytes_ += static_cast<std::int64_t>(size);
    return;
  }
  if (!sweep_key.empty() && stored->header.sweep_key != sweep_key)
    throw UserError("\"" + path.string() + "\" belongs to another sweep (key " + stored->header.sweep_key +
                        ", now " + sweep_key + ")",
                    "give this sweep its own file with -o, or forget the old rows with --fresh", 5);
  if (stored->layout != row_layout())
    throw UserError("\"" + path.string() + "\" was written by a build whose rows look different",
                    "finish with that build, or forget the old rows with --fresh", 5);
  Source& source = sources_.back();
  source.launch = stored->header.launch;
  source.worker = stored->header.worker;
  record_launch(stored->header);
  ids_of_sweep_ = stored->header.ids;

  std::size_t at = frame_head_bytes + head->size(), held_from = 0;
  while (const auto payload = first_frame(bytes.substr(at))) {
    if (kind_of(*payload) == FrameKind::rows) {
      for (std::size_t in = frame_kind_bytes; in + sizeof(sweep::Row) <= payload->size();
           in += sizeof(sweep::Row)) {
        const std::size_t offset = at + frame_head_bytes + in;
        sweep::PointIndex id = 0;
        std::memcpy(&id, bytes.data() + offset + offsetof(sweep::Row, id), sizeof id);
        index_.push_back({id, offset, static_cast<std::int32_t>(sources_.size()) - 1});
      }
    } else if (kind_of(*payload) == FrameKind::end) {
      const EndMark mark = read_end(*payload);
      record_end(source.launch, mark.end, mark.stop_reason);
    }
    at += frame_head_bytes + payload->size();
    if (at - held_from > most_held) {
      let_go(bytes.data(), at / page * page);
      held_from = at;
    }
  }
  torn_bytes_ += static_cast<std::int64_t>(size - at);
  let_go(bytes.data(), size);
}

void JournalRows::read(std::int64_t first, std::span<results::FinishedRow> out) {
  ECHO_EXPECT(first >= 0 && first + static_cast<std::int64_t>(out.size()) <= size());
  for (auto& finished : out) {
    const Entry& entry = index_[static_cast<std::size_t>(first++)];
    const Source& source = sources_[static_cast<std::size_t>(entry.source)];
    std::memcpy(static_cast<void*>(&finished.row), source.bytes.get() + entry.offset, sizeof finished.row);
    finished.launch = source.launch;
    finished.worker = source.worker;
  }
  for (const Source& source : sources_) let_go(source.bytes.get(), source.bytes.get_deleter().size);
}

std::vector<sweep::PointIndex> JournalRows::ids() const {
  std::vector<sweep::PointIndex> ids;
  ids.reserve(index_.size());
  for (const Entry& entry : index_) ids.push_back(entry.id);
  return ids;
}

}  // namespace echo::parallel
