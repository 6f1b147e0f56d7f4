// Aligns two runs of one program, step by step.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace echo::nsight {

struct Match {
  std::int32_t first = 0, second = 0;  // places of equal elements
  friend bool operator==(const Match&, const Match&) = default;
};

// A longest common subsequence: matches in rising order, as many as there can be. Nothing where more than
// `most_apart` elements of both together would be left without a partner. Time and memory: O(n * apart) and
// O(apart^2).
[[nodiscard]] std::optional<std::vector<Match>> align(std::span<const std::int32_t> first,
                                                      std::span<const std::int32_t> second,
                                                      std::int32_t most_apart);

}  // namespace echo::nsight
