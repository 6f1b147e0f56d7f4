// Groups of rows that are held out together, so that errors are measured on unseen rows.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "slowdown/overlap_row.hpp"

namespace echo::learn {

// The property of a held-out row that is new.
enum class Grouping : std::int8_t {
  row,     // only the row: the same kernel of the same size was seen
  kernel,  // the kernel: no row of its short name was seen
  shape    // the size: no row of that kernel about as large was seen
};
inline constexpr std::array<std::string_view, 3> grouping_names{"random", "kernel", "shape"};

// [rows] rows of one group share a number, counted from 0 in order of appearance. A shape is the row's
// (dimensions rounded to octaves), else the kernel's name and the half octave of its time alone.
[[nodiscard]] std::vector<std::int32_t> groups_of(std::span<const slowdown::OverlapRow>, Grouping);

// [rows] the fold that holds the row out, 0..folds-1: whole groups, the larger first, each into the fold with
// the fewest rows; groups of equal size in an order drawn from the seed. No fold is empty.
// Contract: 2 <= folds <= number of groups; groups are numbered 0.. without gaps.
[[nodiscard]] std::vector<std::int32_t> fold_of(std::span<const std::int32_t> group, std::int32_t folds,
                                                std::uint64_t seed);

[[nodiscard]] std::int32_t count_of(std::span<const std::int32_t> group);  // how many groups

}  // namespace echo::learn
