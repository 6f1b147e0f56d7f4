#include "parallel/journal/frame_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {

constexpr std::size_t piece = std::size_t{1} << 17;  // read at once

FrameReader::FrameReader(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0)
    throw UserError("cannot read the journal \"" + path.string() + "\": " + std::strerror(errno),
                    "make it readable, or discard the old rows with --fresh", 5);
}

FrameReader::~FrameReader() { ::close(file_); }

// Fills the window with `bytes` bytes from used_; false at the end of the file.
bool FrameReader::fill(std::size_t bytes) {
  if (window_.size() - used_ >= bytes) return true;
  window_.erase(0, used_);
  used_ = 0;
  while (window_.size() < bytes) {
    const std::size_t had = window_.size();
    window_.resize(had + std::max(piece, bytes - had));
    const ssize_t got = ::read(file_, window_.data() + had, window_.size() - had);
    window_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return window_.size() >= bytes;
  }
  return true;
}

std::optional<std::string_view> FrameReader::next() {
  if (!fill(frame_head_bytes)) return std::nullopt;
  const std::size_t length = claimed_length(std::string_view(window_).substr(used_));
  if (length > longest_frame || !fill(length)) return std::nullopt;
  const auto payload = first_frame(std::string_view(window_).substr(used_));
  if (!payload) return std::nullopt;
  used_ += length;
  offset_ = end_;
  end_ += static_cast<std::int64_t>(length);
  return payload;
}

std::int64_t FrameReader::torn_bytes() const {
  struct stat facts {};
  return ::fstat(file_, &facts) == 0 ? std::max<std::int64_t>(facts.st_size - end_, 0) : 0;
}

}  // namespace echo::parallel
