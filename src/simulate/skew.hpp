// Speed differences between the GPUs of a job.
#pragma once

#include <cstdint>

namespace echo::simulate {

// With 0 draws, GPUs are equal.
struct Skew {
  double sigma = 0.0;  // of the logarithm of a GPU's arithmetic time
  std::int32_t draws = 0;
  std::uint64_t seed = 0;
  friend bool operator==(const Skew&, const Skew&) = default;
};

// By how much a GPU's arithmetic takes longer than nominal, less than 1 where it is faster: log-normal,
// median
// 1. A function of its arguments alone.
[[nodiscard]] double pace_of(const Skew&, std::int32_t draw, std::int32_t gpu_rank);

}  // namespace echo::simulate
