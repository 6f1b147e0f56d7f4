// Fits rates kept per family: a kernel is slowed as others of its family.
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
  double prior = 0.5;  // > 0: weight of the next coarser family, in fully overlapped, unslowed rows
};

// The slowdown of each family minimises the mean relative error of its rows' overlapped durations, including
// `prior` rows at the slowdown of the coarser family; the prior of the coarsest, any kernel, is no slowdown.
// Explained in the source.
[[nodiscard]] slowdown::Families fit_families(const RowPointers&, const FamilySettings&);

// [rows] predictions for each row by families fitted without its fold: the training input of a model that
// corrects families; otherwise it would trust them as much as on rows they were fitted to. Contract: as many
// folds as rows.
[[nodiscard]] std::vector<double> kept_out_of_fold(const RowPointers&, std::span<const std::int32_t> fold,
                                                   const FamilySettings&);

// The weighted median, which minimises sum(weight * |value - x|). The lowest of several. Contract: as many
// weights as values, at least one, positive.
[[nodiscard]] double weighted_median(std::span<const double> values, std::span<const double> weights);

// Slowdowns with 1 / (1 + s) outside (least, most) are noise: overlaps so short that the division by the
// overlap ratio amplifies the variation of repeats.
inline constexpr double least_kept = 0.02, most_kept = 2.0;
// The measured rate kept of the row, clamped to that; 1 if it does not overlap.
[[nodiscard]] double kept_of(const slowdown::OverlapRow&);

}  // namespace echo::learn
