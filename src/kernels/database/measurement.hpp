// Measured kernels as stored in a profile file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/database/measured_row.hpp"
#include "ops/kernel.hpp"

namespace echo::kernels {

// Origin of measurements as text; has no effect on prices.
struct Origin {
  std::string library_version, table, date;
  friend auto operator<=>(const Origin&, const Origin&) = default;
};

struct Measurement {
  std::int32_t gpu = 0;  // of Profile::gpus
  ops::KernelKey key;    // canonical
  double seconds = 0.0;
  double spread = 0.0;                // relative standard deviation of its repeats; 0 = unknown
  double clock_mhz = 0.0;             // of the SMs; 0 = unknown
  RowScope scope = RowScope::kernel;  // what the time includes
  bool sustained = false;   // at the clocks of a long training step, not of a micro-benchmark that pauses
  std::int32_t origin = 0;  // of Profile::origins
  friend auto operator<=>(const Measurement&, const Measurement&) = default;
};

// Repeats of one key are adjacent; readers take their median.
struct Profile {
  std::vector<std::string> gpus;  // presets' names
  std::vector<Origin> origins;
  std::vector<Measurement> rows;
  friend bool operator==(const Profile&, const Profile&) = default;
};

// Why the measurement is impossible; null if it is possible.
[[nodiscard]] const char* why_unsound(const Measurement&);

// Rows in the order of their GPU's name and of the members above; names and origins sorted, unique, and only
// those that a row uses.
[[nodiscard]] Profile tidied(Profile);
// The rows of both, tidied. Identical rows are one measurement.
[[nodiscard]] Profile joined(const Profile&, const Profile&);

}  // namespace echo::kernels
