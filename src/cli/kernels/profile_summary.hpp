// Summarises a profile, and compares two profiles that time the same kernels.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/database/measurement.hpp"

namespace echo::cli {

// Rows of one GPU, library, kind and precision.
struct ProfileGroup {
  std::string gpu, library, kind, precision;
  std::int64_t rows = 0, kernels = 0;
  struct Range {
    std::int32_t least = 0, most = 0;
  };
  std::array<Range, 4> shape;  // m, n, k, batch
};
[[nodiscard]] std::vector<ProfileGroup> groups_of(const kernels::Profile&);
[[nodiscard]] std::string groups_text(const kernels::Profile&);
[[nodiscard]] std::string groups_json(const kernels::Profile&);

// Kernels whose repeats differ by more than `share`. Precondition: tidied.
[[nodiscard]] std::int64_t kernels_with_repeats_apart(const kernels::Profile&, double share);

// A kernel that both profiles time under the same conditions: the medians of each.
struct ProfilePair {
  std::string gpu;
  ops::KernelKey key;
  kernels::RowScope scope{};
  bool sustained = false;
  double first = 0.0, second = 0.0;  // s
  [[nodiscard]] double ratio() const { return second / first; }
};
struct ProfileDiff {
  std::vector<ProfilePair> both;                 // in the order of GPU and kernel
  std::int64_t only_first = 0, only_second = 0;  // kernels
};
[[nodiscard]] ProfileDiff diff_of(const kernels::Profile& first, const kernels::Profile& second);
// Pairs that are more than `share` apart, the farthest first.
[[nodiscard]] std::vector<ProfilePair> apart(const ProfileDiff&, double share);

[[nodiscard]] std::string diff_text(const ProfileDiff&, std::size_t most);
[[nodiscard]] std::string diff_json(const ProfileDiff&);
// Lines "kernel, first, second, ratio" of the first `most` pairs.
[[nodiscard]] std::string pairs_text(const std::vector<ProfilePair>&, std::size_t most);

}  // namespace echo::cli
