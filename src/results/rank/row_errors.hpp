// The errors of rows stored in a file, and the part that two rows share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_source.hpp"
#include "results/read_rows.hpp"
#include "simulate/catalog.hpp"
#include "sweep/run/row.hpp"

namespace echo::results {

// One standard deviation each, relative. Scaled by rel_error_p90 / (rel_error * z90), so that the normal law
// puts the 90th percentile where the calibration found it. 0 where the file has no value: what is not known
// to vary decides nothing.
struct RowError {
  std::array<double, error_source_count> step{};  // of ln step_time, by ErrorSource
  double memory = 0.0;                            // of ln mem_peak
  std::array<std::int32_t, 3> owner{};            // codes of gpu, cluster, framework: ErrorOwner's order
};

inline constexpr double z90 = 1.2815515655446004;  // the normal law's 90th percentile

// Columns of the owners, in ErrorOwner's order; a config owns what no row shares.
inline constexpr std::array<std::string_view, 4> error_owner_names{"gpu", "cluster", "framework", "config"};

[[nodiscard]] std::string error_column(ErrorSource);  // "error_layout"
[[nodiscard]] constexpr std::size_t index_of(ErrorSource source) { return static_cast<std::size_t>(source); }
// Whether rows of these owners have the same draw of a source.
[[nodiscard]] bool is_shared(ErrorSource, const RowError&, const RowError&);

// The variance of ln(step a / step b) and of ln(mem_peak a / mem_peak b): see base/error_source.hpp. Nothing
// says what two rows share of their errors of memory, so these count as independent: ties by memory are at
// least all there are. Not for a row and itself, which do not differ.
[[nodiscard]] double step_variance(const RowError& a, const RowError& b);
[[nodiscard]] double memory_variance(const RowError& a, const RowError& b);

// Whether the file has the columns; files before schema 1.6 do not.
[[nodiscard]] bool has_step_errors(const ResultRows&);
[[nodiscard]] bool has_memory_errors(const ResultRows&);

// The error of a row in memory, as a file would keep it.
[[nodiscard]] RowError error_of(const sweep::Row&, const simulate::Catalog&);

// The columns that a scan must read, and the error of a row of its batch. Columns that a file lacks are left
// out.
class ErrorColumns {
 public:
  explicit ErrorColumns(const ResultRows&);
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] RowError at(const Scan&, std::size_t first_column, std::size_t row) const;

 private:
  bool has_step_ = false, has_memory_ = false;
  std::size_t sources_ = 0;  // that the file has a column for: the first
  std::vector<std::string> names_;
};

}  // namespace echo::results
