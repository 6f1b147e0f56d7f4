#include "exsitu/record_file.hpp"

#include <fcntl.h>
#include <nccl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "exsitu/settings.hpp"

namespace echo::exsitu {

static std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
std::int64_t monotonic_ns() { return clock_ns(CLOCK_MONOTONIC); }

FileHeader header_of_process() {
  FileHeader header;
  header.monotonic_ns = monotonic_ns();
  header.unix_ns = clock_ns(CLOCK_REALTIME);
  header.rank = settings().rank;
  header.world = settings().world;
  header.process = static_cast<std::int32_t>(getpid());
  return header;
}

RecordFile::RecordFile(const std::string& path, std::int64_t most_bytes, const FileHeader& header)
    : path_(path) {
  pieces_ = std::min<std::uint64_t>(most_pieces, static_cast<std::uint64_t>(most_bytes) / piece_bytes);
  pieces_ = std::max<std::uint64_t>(pieces_, 1);
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  std::byte* first = file_ < 0 ? nullptr : map_piece(0);
  if (first == nullptr) {
    complain("no trace is kept: \"" + path +
             "\" cannot be written (ECHO_TRACE_FILE): " + std::strerror(errno));
    pieces_ = 0;
    return;
  }
  std::memcpy(first, &header, sizeof header);
}

RecordFile::~RecordFile() {
  for (std::atomic<std::byte*>& piece : mapped_)
    if (std::byte* at = piece.exchange(nullptr)) munmap(at, piece_bytes);
  if (file_ < 0) return;
  // Later pieces may exist although none of them was used.
  const std::uint64_t used = std::min(next_.load(), pieces_ * records_per_piece) * 64;
  [[maybe_unused]] const int cut = ftruncate(file_, static_cast<off_t>(used));
  ::close(file_);
}

std::byte* RecordFile::map_piece(std::uint64_t piece) {
  const std::scoped_lock lock(mapping_);
  if (std::byte* there = mapped_[piece].load(std::memory_order_acquire)) return there;
  const auto offset = static_cast<off_t>(piece * piece_bytes);
  // Allocated on disk, not only declared: a full disk must not become a signal in the middle of a record.
  if (posix_fallocate(file_, offset, piece_bytes) != 0) return nullptr;
  void* at = mmap(nullptr, piece_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, offset);
  if (at == MAP_FAILED) return nullptr;
  mapped_[piece].store(static_cast<std::byte*>(at), std::memory_order_release);
  return static_cast<std::byte*>(at);
}

void RecordFile::drop() {
  const std::uint64_t before = dropped_.fetch_add(1, std::memory_order_relaxed);
  if (before == 0 && pieces_ > 0)
    complain("\"" + path_ + "\" is full: the trace ends here (ECHO_TRACE_LIMIT)");
  if (std::byte* first = mapped_[0].load(std::memory_order_acquire))
    std::atomic_ref(reinterpret_cast<FileHeader*>(first)->dropped)
        .store(before + 1, std::memory_order_relaxed);
}

std::uint64_t RecordFile::write(std::uint64_t at, const void* line) {
  const std::uint64_t piece = at / records_per_piece;
  std::byte* base = piece < pieces_ ? mapped_[piece].load(std::memory_order_acquire) : nullptr;
  if (base == nullptr && piece < pieces_) base = map_piece(piece);
  if (base == nullptr) {
    drop();
    return 0;
  }
  std::byte* record = base + at % records_per_piece * 64;
  constexpr std::size_t serial = offsetof(Record, serial);
  std::memcpy(record, line, serial);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(record + serial)).store(at, std::memory_order_release);
  return at;
}

void RecordFile::put_text(What what, std::uint32_t owner, std::string_view text) {
  text = text.substr(0, 65536);
  constexpr std::size_t room = sizeof(TextRecord::text);
  const std::uint64_t lines = std::max<std::uint64_t>(1, (text.size() + room - 1) / room);
  const std::uint64_t first = next_.fetch_add(lines, std::memory_order_relaxed);
  for (std::uint64_t i = 0; i < lines; ++i) {
    const std::string_view part = text.substr(i * room, room);
    TextRecord record{.what = what, .owner = owner};
    record.length = static_cast<std::uint8_t>(part.size());
    record.goes_on = i + 1 < lines ? 1 : 0;
    std::copy(part.begin(), part.end(), record.text.begin());
    write(first + i, &record);
  }
}

static std::atomic<RecordFile*> current{nullptr};
static std::mutex* opening = new std::mutex;
static bool is_child = false;

// The child shares the parent's mapping; it must not write there. Its mutex may be held by a thread that
// does not exist in the child.
static void forget_in_child() {
  current.store(nullptr);
  opening = new std::mutex;
  is_child = true;
}

RecordFile& nccl_records() {
  if (RecordFile* file = current.load(std::memory_order_acquire)) return *file;
  const std::scoped_lock lock(*opening);
  if (RecordFile* file = current.load(std::memory_order_acquire)) return *file;
  static const int watched = pthread_atfork(nullptr, nullptr, forget_in_child);
  static_cast<void>(watched);
  std::string path = file_name(settings().trace_file, getpid(), settings().rank);
  if (is_child && settings().trace_file.find("%p") == std::string::npos)
    path += "." + std::to_string(getpid());
  FileHeader header = header_of_process();
  header.library = settings().version > 0 ? settings().version : NCCL_VERSION_CODE;
  auto* file =
      new RecordFile(path, settings().most_bytes, header);  // never closed: threads may outlive statics
  current.store(file, std::memory_order_release);
  return *file;
}

}  // namespace echo::exsitu
