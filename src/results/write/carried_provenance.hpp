// Launches and failures of older files beside those of a new one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/provenance.hpp"
#include "results/write/merged_rows.hpp"
#include "results/write/result_file.hpp"

namespace echo::results {

// Launches by number, failures by number and launch. Failures of rows that got no number are left out.
[[nodiscard]] Provenance with_carried(const Provenance& own, std::span<const CarriedFile> files);

// Rows of failed points, found while their numbers pass by in order.
class FailedPlaces {
 public:
  explicit FailedPlaces(const std::vector<Failure>& failures)
      : failures_(failures), places_(failures.size(), -1) {}
  void see(const MergedBatch& batch) {  // batches in order, from the first
    if (at_ == failures_.size()) return;
    std::size_t fresh = 0, carried = 0;
    for (std::int64_t place = batch.first; place < batch.first + batch.size(); ++place) {
      const bool is_fresh = fresh < batch.fresh.size() && batch.fresh_places[fresh] == place;
      see_one(is_fresh ? batch.fresh[fresh++].row.id : batch.carried[carried++].number, place);
    }
  }
  // Rows that bear the numbers of their places.
  void see(std::int64_t first, std::int64_t rows) {
    while (at_ < failures_.size() && failures_[at_].id < first + rows)
      see_one(failures_[at_].id, failures_[at_].id);
  }
  // By failure; -1 = no row has passed that bears its number.
  [[nodiscard]] const std::vector<std::int32_t>& places() const { return places_; }

 private:
  void see_one(sweep::PointIndex number, std::int64_t place) {
    for (; at_ < failures_.size() && failures_[at_].id <= number; ++at_)
      if (failures_[at_].id == number) places_[at_] = static_cast<std::int32_t>(place);
  }
  const std::vector<Failure>& failures_;  // ascending by id
  std::vector<std::int32_t> places_;
  std::size_t at_ = 0;
};

}  // namespace echo::results
