// What a search leaves: proof that no other point of the space is among the best.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "search/task.hpp"

namespace echo::search {

inline constexpr std::size_t fate_count = 6;

// The end of a round in which a better point was found, or less became possible.
struct Moment {
  std::int64_t looked_at = 0;         // sets by then
  std::int64_t simulated = 0;         // points by then
  double best = 0.0, possible = 0.0;  // costs of the leading objective: found, and what no open set can beat
  friend bool operator==(const Moment&, const Moment&) = default;
};

struct Certificate {
  std::int64_t combinations = 0;     // crossed
  std::int64_t kept = 0;             // by the rules of the sweep; the sets below cover them, each once
  std::vector<Node> sets;            // by group and place; neighbours of one fate and depth are one
  std::vector<std::int64_t> points;  // numbers in the order of the file of the best
  std::vector<Moment> moments;
  std::int64_t failed = 0;  // simulated points
  double gap = 0.0;         // share by which an open set may be better than the best found; 0: proven

  [[nodiscard]] std::array<std::int64_t, fate_count> members() const;  // [Fate]
  friend bool operator==(const Certificate&, const Certificate&) = default;
};

// Sorts sets by place, and joins neighbours of equal fate, tier and slice; of bounds the least stays. Sets
// with a bound are joined only where `is_excluded` still says of the whole that no member can be among the
// best.
void join_sets(std::vector<Node>& sets, const std::function<bool(const Node&)>& is_excluded);

}  // namespace echo::search
