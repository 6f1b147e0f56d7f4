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

FrameCache::Frame read_frame(const std::filesystem::path& path, std::int64_t offset, Disk& disk) {
  const OpenFile file(path, disk);
  std::string bytes(frame_head_bytes, '\0');
  file.read(offset, bytes.data(), bytes.size());
  const std::size_t length = claimed_length(bytes);
  if (length > longest_frame) file.refuse("it changed in the meantime");
  bytes.resize(length);
  file.read(offset + std::int64_t{frame_head_bytes}, bytes.data() + frame_head_bytes,
            length - frame_head_bytes);
  const auto payload = first_frame(bytes);
  FrameCache::Frame frame{.length = static_cast<std::int64_t>(length), .rows = {}};
  if (!payload || (kind_of(*payload) == FrameKind::rows && !unpack_rows(*payload, frame.rows)))
    file.refuse("it changed in the meantime");
  return frame;
}

}  // namespace

std::shared_ptr<const FrameCache::Frame> FrameCache::at(const std::filesystem::path& file,
                                                        std::int64_t offset) {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return entry.offset == offset && entry.file == file; });
  if (found != entries_.end()) {
    std::rotate(found, found + 1, entries_.end());
  } else {
    if (entries_.size() == most_kept) entries_.erase(entries_.begin());
    entries_.push_back({file, offset, std::make_shared<const Frame>(read_frame(file, offset, disk_))});
  }
  return entries_.back().frame;
}

}  // namespace echo::parallel
