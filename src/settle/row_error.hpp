// The errors of the step times of two predicted rows: how far each may be off, and what they share of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error_source.hpp"

namespace echo::settle {

inline constexpr double z90 = 1.2815515655446004;  // the normal law's 90th percentile

// One standard deviation each, relative; scaled so that the normal law puts the 90th percentile of a step
// where the calibration found it. 0: not known to vary.
struct RowError {
  std::array<double, error_source_count> step{};  // of ln step_time, by ErrorSource
  double memory = 0.0;                            // of ln mem_peak
  std::array<std::int32_t, 3> owner{};            // codes of gpu, cluster, framework: ErrorOwner's order
  // What measured runs explain of the error of ln step_time, one standard deviation for each run
  // (conditioning.hpp); empty, or of one length in all rows.
  std::vector<double> explained;
};

// Whether two rows are one: then they share all they have.
enum class Rows : std::int8_t { different, same };

[[nodiscard]] constexpr std::size_t index_of(ErrorSource source) { return static_cast<std::size_t>(source); }
// Whether different rows of these owners have the same draw of a source.
[[nodiscard]] bool is_shared(ErrorSource, const RowError&, const RowError&);

// The covariance of the errors of ln step_time: see base/error_source.hpp; less what runs explain of both.
[[nodiscard]] double step_covariance(const RowError&, const RowError&, Rows);
// The variance of the error of one row: its covariance with itself.
[[nodiscard]] double step_variance(const RowError&);
// Whether the error of the step of `a` is at most a tenth greater than that of `b`.
[[nodiscard]] bool is_known_as_well(const RowError& a, const RowError& b);
// The error of a step, each part of it scaled alike so that it is no greater than that of `other`.
[[nodiscard]] RowError no_greater_than(const RowError& other, RowError error);
// The variance of ln(step a / step b) of different rows: that of a, and of b, less twice the covariance;
// summed by source, so that what two rows share equally leaves nothing.
[[nodiscard]] double step_variance(const RowError& a, const RowError& b);
// The part of it that one source has, before any run.
[[nodiscard]] double step_variance(ErrorSource, const RowError& a, const RowError& b);

// The variance of ln(mem_peak a / mem_peak b). Nothing says what two rows share of their errors of memory, so
// these count as independent: ties by memory are at least all there are.
[[nodiscard]] double memory_variance(const RowError& a, const RowError& b);

}  // namespace echo::settle
