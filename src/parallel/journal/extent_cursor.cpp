#include "parallel/journal/extent_cursor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t rows_in_piece = 256;
constexpr std::size_t frame_start_bytes = frame_head_bytes + frame_front_bytes;

// A file open for one piece: journals are many, and descriptors few.
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

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw UserError("cannot read the journal \"" + path_.string() + "\": " + why,
                    "check its disk; run the same command again to continue", 5);
  }
  const std::filesystem::path& path_;
  int file_;
};

}  // namespace

ExtentCursor::ExtentCursor(const std::filesystem::path& file, const Extent& extent, sweep::PointIndex from)
    : file_(file), extent_(extent), next_(from), frame_(extent.frame), in_frame_(extent.in_frame) {
  in_frame_ += from - extent.first;
  if (!is_over()) read_piece();
}

void ExtentCursor::advance() {
  ++next_;
  if (++at_ == rows_.size() && !is_over()) read_piece();
}

// Frames of other kinds, and rows frames that end before the row wanted, are stepped over.
void ExtentCursor::read_piece() {
  const OpenFile file(file_);
  for (;;) {
    std::array<char, frame_start_bytes> start{};
    file.read(frame_, start.data(), start.size());
    const std::string_view bytes(start.data(), start.size());
    const auto length = static_cast<std::int64_t>(claimed_length(bytes));
    const bool has_rows = kind_of(bytes.substr(frame_head_bytes)) == FrameKind::rows;
    const std::int64_t rows =
        has_rows ? (length - static_cast<std::int64_t>(start.size())) / std::int64_t{sizeof(sweep::Row)} : 0;
    if (in_frame_ >= rows) {
      in_frame_ -= rows;
      frame_ += length;
      continue;
    }
    const std::int64_t left = extent_.first + extent_.count - next_;
    rows_.resize(static_cast<std::size_t>(std::min({rows - in_frame_, left, rows_in_piece})));
    file.read(frame_ + std::int64_t{frame_start_bytes} + in_frame_ * std::int64_t{sizeof(sweep::Row)},
              rows_.data(), rows_.size() * sizeof(sweep::Row));
    in_frame_ += static_cast<std::int64_t>(rows_.size());
    at_ = 0;
    return;
  }
}

}  // namespace echo::parallel
