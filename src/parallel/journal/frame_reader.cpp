#include "parallel/journal/frame_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "parallel/journal/journal_frames.hpp"

namespace echo::parallel {

constexpr std::size_t piece = std::size_t{1} << 17;  // read at once

FrameReader::FrameReader(const std::filesystem::path& path, Disk& disk) {
  auto [file, error] = disk.open(path, Disk::Use::read);
  if (error != 0)
    throw UserError("cannot read the journal \"" + path.string() + "\": " + std::strerror(error),
                    "make it readable, or discard the old rows with --fresh", 5);
  file_ = std::move(file);
}

// Fills the window with `bytes` bytes from used_; false at the end of the file.
bool FrameReader::fill(std::size_t bytes) {
  if (window_.size() - used_ >= bytes) return true;
  window_.erase(0, used_);
  used_ = 0;
  const std::size_t had = window_.size();
  const std::int64_t left = file_->size() - end_ - static_cast<std::int64_t>(had);
  if (left <= 0) return false;
  window_.resize(had + std::min(static_cast<std::size_t>(left), std::max(piece, bytes - had)));
  const std::int64_t got =
      file_->read(end_ + static_cast<std::int64_t>(had), std::span(window_).subspan(had));
  has_failed_ = has_failed_ || got < 0;
  window_.resize(had + static_cast<std::size_t>(std::max<std::int64_t>(got, 0)));
  return window_.size() >= bytes;
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

std::int64_t FrameReader::torn_bytes() const { return std::max<std::int64_t>(file_->size() - end_, 0); }

}  // namespace echo::parallel
