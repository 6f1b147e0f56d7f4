#include "parallel/journal/extent_cursor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {
namespace {

constexpr std::int64_t rows_in_piece = 256;
constexpr std::size_t frame_start_bytes = frame_head_bytes + frame_front_bytes;

// A file open for one piece: journals are many, and descriptors few.
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

 private:
  [[noreturn]] void refuse(const char* why) const {
    throw UserError("cannot read the journal \"" + path_.string() + "\": " + why,
                    "check its disk; run the same command again to continue", 5);
  }
  const std::filesystem::path& path_;
  std::unique_ptr<DiskFile> file_;
};

}  // namespace

ExtentCursor::ExtentCursor(const std::filesystem::path& file, const Extent& extent, sweep::PointIndex from,
                           Disk& disk)
    : file_(file),
      disk_(&disk),
      extent_(extent),
      next_(from),
      frame_(extent.frame),
      in_frame_(extent.in_frame) {
  in_frame_ += from - extent.first;
  if (!is_over()) read_piece();
}

void ExtentCursor::advance() {
  ++next_;
  if (++at_ == rows_.size() && !is_over()) read_piece();
}

// Frames of other kinds, and rows frames that end before the row wanted, are stepped over.
void ExtentCursor::read_piece() {
  const OpenFile file(file_, *disk_);
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
