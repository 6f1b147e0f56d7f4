// Work source and row sink of one process without MPI: all ids in order, rows kept in memory. For tests and
// benchmarks.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "sweep/run/row.hpp"

namespace echo::sweep {

class AllIds : public WorkSource {
 public:
  explicit AllIds(PointIndex size, PointIndex batch = 64) : size_(size), batch_(batch) {}
  std::optional<IdRange> claim() override {
    if (next_ >= size_) return std::nullopt;
    const IdRange range{next_, std::min(size_, next_ + batch_)};
    next_ = range.end;
    return range;
  }

 private:
  PointIndex size_, batch_, next_ = 0;
};

struct VectorSink : RowSink {
  std::vector<Row> rows;
  void accept(std::span<const Row> batch) override { rows.insert(rows.end(), batch.begin(), batch.end()); }
};

}  // namespace echo::sweep
