// One kernel that ran beside communication, or one collective that ran beside kernels, next to the same alone
// in the same profile. It was observed, not arranged: alone and beside lie in different phases of a step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "overlaps/alone_times.hpp"
#include "overlaps/profile.hpp"

namespace echo::overlaps {

// Reasons to doubt an observation. The names are those of the column `quality`.
enum class Doubt : std::int8_t {
  lowres,             // a clock of whole microseconds, and less than 10 us alone
  alone_spread,       // the times alone differ by more than 15 % of their median
  few_alone,          // fewer than five of them
  noshape,            // no extents of operands are known
  shape_from_parent,  // those of an op further out
  shape_ambiguous,    // neither extents of its own op nor neighbours tell it from others of its op
  nobytes,            // the collective's size is not known
  wait_unknown        // how long the collective waited for its peers is not known
};
inline constexpr std::array<std::string_view, 8> doubt_names{
    "lowres",          "alone_spread", "few_alone",   "noshape", "shape_from_parent",
    "shape_ambiguous", "nobytes",      "wait_unknown"};

struct Observation {
  std::int32_t activity = 0;  // of Profile::activities
  bool is_collective = false;
  // ns of its time: beside communication (of a collective: beside kernels); beside kernels of other streams
  // (of a collective: beside other collectives); beside copies.
  std::int64_t beside = 0, beside_others = 0, beside_copies = 0;
  // The communication beside it, and of a collective itself.
  std::int32_t collective = -1;                // activity with the longest overlap
  std::int32_t collectives = 0;                // how many it touched; of a collective 0
  std::vector<std::int32_t> collective_names;  // texts
  std::int64_t shortest_of_ranks = -1;         // ns: of that collective on any rank of the run; -1: not known
  // The same alone: not beside anything.
  std::string alone_by;                         // what had to be equal: "ctx+name+grid+block+op+shape"
  std::int64_t alone_count = 0, alone_gap = 0;  // samples; ns to the nearest of them in time
  double alone_median = 0.0, alone_q10 = 0.0, alone_q90 = 0.0;  // ns
  double slowdown = 0.0;                                        // its time over the median alone
  double implied = not_said;    // slowdown of the part beside alone, of partial overlap; NaN: not defined
  double log_error = not_said;  // standard error of ln(slowdown) from the clock and the times alone
  double weight = 0.0;          // 1 over the recommended observations of the same work; 0: not recommended
  std::uint32_t doubts = 0;     // bits
  bool is_recommended = false;

  [[nodiscard]] bool has(Doubt doubt) const { return (doubts >> static_cast<unsigned>(doubt) & 1U) != 0; }
  void add(Doubt doubt) { doubts |= 1U << static_cast<unsigned>(doubt); }
};

// The share of its time, 0..1.
[[nodiscard]] double share_of(std::int64_t part, const Activity&);

}  // namespace echo::overlaps
