#include "parallel/journal/extent_cursor.hpp"

#include "base/at.hpp"
#include "base/error.hpp"

namespace echo::parallel {

ExtentCursor::ExtentCursor(const std::filesystem::path& file, const Extent& extent, FrameCache& frames)
    : file_(file),
      extent_(extent),
      frames_(&frames),
      frame_(frames.at(file, extent.frame)),
      offset_(extent.frame),
      in_frame_(at(extent.in_frame)),
      next_(extent.first) {
  if (!is_over()) go_to_row();
}

void ExtentCursor::advance() {
  ++next_;
  ++in_frame_;
  if (!is_over()) go_to_row();
}

// Past the end of a frame the next one with rows follows; frames of other kinds are between them.
void ExtentCursor::go_to_row() {
  while (in_frame_ >= frame_->rows.size()) {
    offset_ += frame_->length;
    frame_ = frames_->at(file_, offset_);
    in_frame_ = 0;
  }
  if (row().id != next_)
    throw UserError("the journal \"" + file_.string() + "\" has point " + std::to_string(row().id) +
                        " where its index has " + std::to_string(next_),
                    "check its disk; run the same command again to continue", 5);
}

}  // namespace echo::parallel
