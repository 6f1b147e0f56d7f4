// Reads the rows of one extent piece by piece.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "parallel/journal/journal_rows.hpp"

namespace echo::parallel {

class ExtentCursor {
 public:
  // Starts at number `from` of the extent. UserError 5 if the file no longer has the indexed rows.
  ExtentCursor(const std::filesystem::path& file, const Extent&, sweep::PointIndex from, Disk& = real_disk());

  [[nodiscard]] const Extent& extent() const { return extent_; }
  [[nodiscard]] bool is_over() const { return next_ == extent_.first + extent_.count; }
  [[nodiscard]] sweep::PointIndex id() const { return next_; }
  [[nodiscard]] const sweep::Row& row() const { return rows_[at_]; }  // contract: not over
  void advance();

 private:
  void read_piece();
  std::filesystem::path file_;
  Disk* disk_;
  Extent extent_;
  sweep::PointIndex next_ = 0;
  std::int64_t frame_ = 0;     // offset of the frame the next piece starts in
  std::int64_t in_frame_ = 0;  // rows before it in that frame
  std::vector<sweep::Row> rows_;
  std::size_t at_ = 0;
};

}  // namespace echo::parallel
