// Rates kept by name: a kernel is slowed as others of its family were.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "slowdown/families.hpp"
#include "slowdown/overlap_row.hpp"

namespace echo::learn {

using RowPointers = std::vector<const slowdown::OverlapRow*>;

struct FamilySettings {
  std::int32_t sizes_per_octave = 2;
  double prior = 0.5;  // > 0: how many fully overlapped, unslowed rows the next coarser family counts for
};

// The slowdown of each family is the one that makes the mean relative error of its rows' overlapped durations
// least, with `prior` rows at the slowdown of the coarser family among them; the coarsest, any kernel, is not
// slowed. The essay is in the source.
[[nodiscard]] slowdown::Families fit_families(const RowPointers&, const FamilySettings&);

// [rows] what families say of each row that were fitted without its fold: what a model that corrects families
// has to be trained on, or it would trust them as much as they are right about rows they have seen.
// Contract: as many folds as rows.
[[nodiscard]] std::vector<double> kept_out_of_fold(const RowPointers&, std::span<const std::int32_t> fold,
                                                   const FamilySettings&);

// The value at which the weights of those below and above balance: it minimises sum(weight * |value - x|).
// The lowest of several. Contract: as many weights as values, at least one, positive.
[[nodiscard]] double weighted_median(std::span<const double> values, std::span<const double> weights);

// Slowdowns outside 1 / (1 + s) in (least, most) are noise: of overlaps so short that the division by the
// overlap ratio blows up what repeats differ by.
inline constexpr double least_kept = 0.02, most_kept = 2.0;
// The rate kept that the row shows, held to that; 1 where it does not overlap.
[[nodiscard]] double kept_of(const slowdown::OverlapRow&);

}  // namespace echo::learn
