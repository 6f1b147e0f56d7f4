#include "results/write/row_stream.hpp"

#include <utility>

#include "base/contract.hpp"

namespace echo::results {

RowsInMemory::RowsInMemory(std::vector<FinishedRow> rows) : rows_(std::move(rows)) {
  std::ranges::stable_sort(rows_, {}, [](const FinishedRow& r) { return r.row.id; });
  const auto repeated =
      std::unique(rows_.begin(), rows_.end(),
                  [](const FinishedRow& a, const FinishedRow& b) { return a.row.id == b.row.id; });
  rows_.erase(repeated, rows_.end());
}

void RowsInMemory::read(std::int64_t first, std::span<FinishedRow> out) {
  ECHO_EXPECT(first >= 0 && first + static_cast<std::int64_t>(out.size()) <= size());
  std::copy_n(rows_.begin() + first, out.size(), out.begin());
}

}  // namespace echo::results
