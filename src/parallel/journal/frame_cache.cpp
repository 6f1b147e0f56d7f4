#include "parallel/journal/frame_cache.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/rows_frame.hpp"

namespace echo::parallel {
namespace {

constexpr std::size_t most_kept = 16;
constexpr std::size_t most_rows_kept = 8192;  // a kilobyte each

// A file open for one frame: journals are many, and descriptors few.
class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, Disk& disk) : path_(path) {
    auto [file, error] = disk.open(path, Disk::Use::read);
    if (error != 0) refuse(std::strerror(error));
    file_ = std::move(file);
  }

  void read(std::int64_t offset, void* to, std::size_t bytes) const {
    const std::int64_t got = file_->read(offset, {static_cast<char*>(to), bytes});
    if (got < 0) refuse(std::strerror(static_cast<int>(-got)));
    if (got < static_cast<std::int64_t>(bytes)) refuse("it was truncated in the meantime");
  }
  [[noreturn]] void refuse(const char* why) const {
    throw UserError("cannot read the journal \"" + path_.string() + "\": " + why,
                    "check its disk; run the same command again to continue", 5);
  }

 private:
  const std::filesystem::path& path_;
  std::unique_ptr<DiskFile> file_;
};

[[noreturn]] void refuse_changed(const OpenFile& file) { file.refuse("it changed in the meantime"); }

}  // namespace

std::string read_frame(const std::filesystem::path& path, std::int64_t offset, Disk& disk) {
  const OpenFile file(path, disk);
  std::string bytes(frame_head_bytes, '\0');
  file.read(offset, bytes.data(), bytes.size());
  const std::size_t length = claimed_length(bytes);
  if (length > longest_frame) refuse_changed(file);
  bytes.resize(length);
  file.read(offset + std::int64_t{frame_head_bytes}, bytes.data() + frame_head_bytes,
            length - frame_head_bytes);
  if (!first_frame(bytes)) refuse_changed(file);
  bytes.erase(0, frame_head_bytes);
  return bytes;
}

static FrameCache::Frame unpacked_frame(const std::filesystem::path& path, std::int64_t offset, Disk& disk) {
  const std::string payload = read_frame(path, offset, disk);
  FrameCache::Frame frame{.length = static_cast<std::int64_t>(frame_head_bytes + payload.size()), .rows = {}};
  if (kind_of(payload) == FrameKind::rows && !unpack_rows(payload, frame.rows))
    refuse_changed(OpenFile(path, disk));
  return frame;
}

std::shared_ptr<const FrameCache::Frame> FrameCache::at(const std::filesystem::path& file,
                                                        std::int64_t offset) {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.offset == offset && entry.file == file; });
  if (found != entries_.end()) {
    std::rotate(found, found + 1, entries_.end());
  } else {
    entries_.push_back({file, offset, std::make_shared<const Frame>(unpacked_frame(file, offset, disk_))});
    std::size_t kept = 0, rows = 0;  // from the most recent one on
    while (kept < std::min(most_kept, entries_.size())) {
      rows += entries_[entries_.size() - 1 - kept].frame->rows.size();
      if (kept > 0 && rows > most_rows_kept) break;
      ++kept;
    }
    entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(kept));
  }
  return entries_.back().frame;
}

}  // namespace echo::parallel
