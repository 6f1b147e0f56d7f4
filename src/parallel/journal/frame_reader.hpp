// Reads the frames of a journal file in order, through a window of bounded size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "parallel/platform/disk.hpp"

namespace echo::parallel {

// A file that another process appends to meanwhile is read as far as it got; one that is cut short, or cannot
// be read any further, ends there.
class FrameReader {
 public:
  explicit FrameReader(const std::filesystem::path&,
                       Disk& = real_disk());  // UserError 5 when it cannot be opened
  FrameReader(const FrameReader&) = delete;
  FrameReader& operator=(const FrameReader&) = delete;

  // The payload of the next whole frame, valid until the next call; nothing after the last one.
  [[nodiscard]] std::optional<std::string_view> next();
  [[nodiscard]] std::int64_t offset() const { return offset_; }  // in the file, of the frame next() gave last
  [[nodiscard]] bool has_failed() const { return has_failed_; }  // the disk did not read what there is
  [[nodiscard]] std::int64_t size() const { return file_->size(); }
  [[nodiscard]] std::int64_t torn_bytes() const;  // after the last whole frame

 private:
  bool fill(std::size_t bytes);
  std::unique_ptr<DiskFile> file_;
  std::string window_;
  bool has_failed_ = false;
  std::size_t used_ = 0;               // bytes of the window already given out
  std::int64_t offset_ = 0, end_ = 0;  // end_: of the frame next() gave last
};

}  // namespace echo::parallel
