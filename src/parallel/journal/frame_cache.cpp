#include "parallel/journal/frame_cache.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "parallel/journal/journal_frames.hpp"
#include "parallel/journal/rows_frame.hpp"

namespace echo::parallel {
namespace {

constexpr std::size_t most_kept = 16;

// A file open for one frame: journals are many, and descriptors few.
class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) refuse(std::strerror(errno));
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { ::close(file_); }

  void read(std::int64_t offset, void* to, std::size_t bytes) const {
    for (std::size_t at = 0; at < bytes;) {
      const ssize_t got = ::pread(file_, static_cast<char*>(to) + at, bytes - at,
                                  static_cast<off_t>(offset) + static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) refuse(got < 0 ? std::strerror(errno) : "it was truncated in the meantime");
      at += static_cast<std::size_t>(got);
    }
  }
  [[noreturn]] void refuse(const char* why) const {
    throw UserError("cannot read the journal \"" + path_.string() + "\": " + why,
                    "check its disk; run the same command again to continue", 5);
  }

 private:
  const std::filesystem::path& path_;
  int file_;
};

FrameCache::Frame read_frame(const std::filesystem::path& path, std::int64_t offset) {
  const OpenFile file(path);
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
    entries_.push_back({file, offset, std::make_shared<const Frame>(read_frame(file, offset))});
  }
  return entries_.back().frame;
}

}  // namespace echo::parallel
