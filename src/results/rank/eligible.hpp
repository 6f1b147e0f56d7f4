// Which rows are ranked: feasible ones that surely enough fit the memory of their GPU.
#pragma once

#include <array>
#include <string>

#include "results/read_rows.hpp"
#include "training/feasibility.hpp"

namespace echo::results {

class Eligible {
 public:
  // Files before schema 1.8 have no fit_chance: all their feasible rows are ranked.
  explicit Eligible(const ResultRows& rows)
      : least_(rows.find("fit_chance") == nullptr ? 0.0 : rows.state().min_fit_chance),
        chance_(least_ > 0.0 ? "fit_chance" : "status") {}

  // The columns that a scan must start with.
  [[nodiscard]] std::array<std::string, 2> columns() const { return {"status", chance_}; }

  // A replayed trace has no memory, and its chance is not a number: it is ranked.
  [[nodiscard]] bool operator()(const Scan& scan, std::size_t row) const {
    return is_feasible(scan, row) && !(least_ > 0.0 && scan.values(1)[row] < least_);
  }
  [[nodiscard]] bool may_not_fit(const Scan& scan, std::size_t row) const {
    return is_feasible(scan, row) && !(*this)(scan, row);
  }

 private:
  [[nodiscard]] static bool is_feasible(const Scan& scan, std::size_t row) {
    return static_cast<training::Status>(scan.values(0)[row]) == training::Status::ok;
  }
  double least_;
  std::string chance_;
};

}  // namespace echo::results
