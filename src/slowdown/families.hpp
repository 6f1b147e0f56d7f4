// Rates kept beside communication by families of kernels: the coarsest learned model, by kernel name.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "slowdown/overlap_row.hpp"

namespace echo::slowdown {

inline constexpr double least_rate = 1e-6;  // of any sound model; 1 / least_rate is the maximum

struct FamilyRate {
  static constexpr std::int32_t any_size = std::numeric_limits<std::int32_t>::min();
  std::string kernel;            // short name; empty = any kernel, then the next two are also empty
  std::string full_name;         // empty = any of that short name, then the next is also any
  std::int32_t size = any_size;  // of its time alone, size_of()
  double kept = 1.0;             // 1 / (1 + slowdown), > 0
  std::int32_t rows = 0;         // behind it
  friend bool operator==(const FamilyRate&, const FamilyRate&) = default;
};

// Nested families: the finest known one applies.
struct Families {
  std::int32_t sizes_per_octave = 1;
  std::vector<FamilyRate> rates;  // sorted by kernel, full_name, size, unique; the first is any kernel
  friend bool operator==(const Families&, const Families&) = default;
};
[[nodiscard]] bool is_sound(const Families&);

[[nodiscard]] std::int32_t size_of(double seconds, std::int32_t sizes_per_octave);  // floor(octaves of 1 us)
// Precondition: is_sound.
[[nodiscard]] double kept_by_family(const Families&, const OverlapRow&);

}  // namespace echo::slowdown
