// Errors of predicted slowdowns and of the resulting times.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace echo::learn {

// One row: its measurement and an out-of-sample prediction.
struct Outcome {
  double alone = 0.0, overlapped = 0.0;  // seconds, > 0
  double overlap_ratio = 0.0;            // 0..1
  double predicted_slowdown = 0.0;
};
[[nodiscard]] double predicted_time(const Outcome&);     // seconds; a row that does not overlap takes `alone`
[[nodiscard]] double measured_slowdown(const Outcome&);  // Echo's; 0 where it does not overlap
[[nodiscard]] double relative_error(const Outcome&);     // (predicted - measured) / measured, of the time

inline constexpr std::array<double, 3> tolerances{0.05, 0.10, 0.15};
// A smaller slowdown is within the variation of repeats of one kernel; its relative error is meaningless.
inline constexpr double visible_slowdown = 0.05;

struct ErrorMeasures {
  std::int64_t rows = 0;
  double mean = 0.0;               // of |relative_error|: the MAPE of the overlapped duration
  double median = 0.0;             // of the same
  double total = 0.0;              // of the summed times: (predicted - measured) / measured
  double r2 = 0.0;                 // of the overlapped duration; NaN if all measured are equal
  std::array<double, 3> within{};  // share of rows with |relative_error| <= tolerances
  double slowdown_mean = 0.0;  // |predicted - measured| / measured slowdown, rows slowed visibly; NaN: none
  std::int64_t slowed = 0;     // number of those rows
  double slowdown_r2 = 0.0;    // of the slowdown, all these rows
};
// Contract: at least one row.
[[nodiscard]] ErrorMeasures measure(std::span<const Outcome>);
// The same over the rows that overlap; without any: rows = 0 and the rest NaN.
[[nodiscard]] ErrorMeasures measure_overlapping(std::span<const Outcome>);

}  // namespace echo::learn
