// The rows of frames, unpacked once for all extents that share a frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "parallel/platform/disk.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

// The payload of the frame at this place. UserError 5 if the file does not have it (any more).
[[nodiscard]] std::string read_frame(const std::filesystem::path& file, std::int64_t offset, Disk&);

class FrameCache {
 public:
  explicit FrameCache(Disk& disk) : disk_(disk) {}
  struct Frame {
    std::int64_t length = 0;       // in the file
    std::vector<sweep::Row> rows;  // empty in frames of another kind
  };
  // The frame at this place. UserError 5 if the file does not have it (any more). At most sixteen frames and
  // 8192 rows are kept beside those in use: the most recently used.
  [[nodiscard]] std::shared_ptr<const Frame> at(const std::filesystem::path& file, std::int64_t offset);

 private:
  struct Entry {
    std::filesystem::path file;
    std::int64_t offset = 0;
    std::shared_ptr<const Frame> frame;
  };
  Disk& disk_;
  std::vector<Entry> entries_;  // the most recent last
};

}  // namespace echo::parallel
