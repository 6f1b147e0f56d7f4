// Reads the rows of one extent frame by frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "parallel/journal/frame_cache.hpp"
#include "parallel/journal/journal_rows.hpp"

namespace echo::parallel {

class ExtentCursor {
 public:
  // UserError 5 if the file no longer has the indexed rows; so do the others. The cache outlives the cursor.
  ExtentCursor(const std::filesystem::path& file, const Extent&, FrameCache& frames);

  [[nodiscard]] const Extent& extent() const { return extent_; }
  [[nodiscard]] bool is_over() const { return next_ == extent_.first + extent_.count; }
  [[nodiscard]] sweep::PointIndex id() const { return next_; }
  [[nodiscard]] const sweep::Row& row() const { return frame_->rows[in_frame_]; }  // contract: not over
  void advance();

 private:
  void go_to_row();
  std::filesystem::path file_;
  Extent extent_;
  FrameCache* frames_;
  std::shared_ptr<const FrameCache::Frame> frame_;  // with the current row
  std::int64_t offset_ = 0;                         // of that frame
  std::size_t in_frame_ = 0;
  sweep::PointIndex next_ = 0;
};

}  // namespace echo::parallel
