#include "results/write/merged_rows.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::results {

bool MergedRows::load() {
  if (at_ < buffer_.size()) return true;
  const std::int64_t left = stream_.size() - streamed_;
  if (left == 0) return false;
  buffer_.resize(at(std::min(batch_rows, left)));
  stream_.read(streamed_, buffer_);
  streamed_ += static_cast<std::int64_t>(buffer_.size());
  at_ = 0;
  return true;
}

void MergedRows::next(MergedBatch& out) {
  out.first = given_;
  out.fresh.clear(), out.carried.clear(), out.fresh_places.clear(), out.carried_places.clear();
  while (out.size() < batch_rows) {
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

}  // namespace echo::results
