#include "results/write/merged_rows.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "base/contract.hpp"

namespace echo::results {

bool MergedRows::load() {
  if (at_ < buffer_.size()) return true;
  const std::int64_t left = stream_.size() - streamed_;
  if (left == 0) return false;
  buffer_.resize(at(std::min(stream_rows, left)));
  stream_.read(streamed_, buffer_);
  streamed_ += static_cast<std::int64_t>(buffer_.size());
  at_ = 0;
  return true;
}

std::int64_t MergedRows::next_end() const {
  const std::int64_t step = carried_.empty() ? stream_rows : batch_rows;
  return (given_ / step + 1) * step;
}

void MergedRows::next(MergedBatch& out) {
  out.first = given_;
  out.fresh.clear(), out.carried.clear(), out.fresh_places.clear(), out.carried_places.clear();
  for (const std::int64_t end = next_end(); given_ < end;) {
    const bool has_fresh = load();
    if (!has_fresh && carried_.empty()) return;
    if (carried_.empty() || (has_fresh && buffer_[at_].row.id < carried_.front().number)) {
      out.fresh.push_back(buffer_[at_++]);
      out.fresh_places.push_back(given_++);
    } else {
      out.carried.push_back(carried_.front());
      carried_ = carried_.subspan(1);
      out.carried_places.push_back(given_++);
    }
  }
}

std::optional<BlockHead> MergedRows::next_head() {
  const bool is_between = at_ == buffer_.size() && given_ == streamed_;
  if (!carried_.empty() || !is_between || given_ == stream_.size() || !stream_.has_block(given_))
    return std::nullopt;
  return read_head(stream_.block_part(given_, 0));
}

void MergedRows::take_block(const BlockHead& head, std::vector<PackedColumn>& columns) {
  for (std::int32_t part = 1; part < head.parts; ++part) {
    const bool is_sound = read_columns(stream_.block_part(given_, part), columns);
    ECHO_ENSURE(is_sound);  // the record has a checksum
  }
  skip_block(head);
}

void MergedRows::skip_block(const BlockHead& head) {
  stream_.skip_block(given_);
  given_ += head.block.rows;
  streamed_ = given_;
}

}  // namespace echo::results
