// Determines whether a study that omits the slowdown of overlapped work would choose the same layouts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

// Whether an input belongs to the layout of a model on GPUs. All others (model, machine, software, batch,
// formats) define the task: rows are compared only if these are equal.
[[nodiscard]] bool is_of_layout(std::string_view input);

// A slice: feasible rows that are equal in every input but the layout. With a = the smallest step_time of a
// slice and B = the rows with the smallest step_time_no_slowdown, to the picosecond, its loss is the smallest
// step_time of B divided by a, minus one: the cost of the best choice among them.
struct Slice {
  std::int64_t rows = 0;
  std::int64_t with = -1, without = -1;  // rows of a and of the loss; the first in file order among equals
  double loss = 0.0;                     // 0: a layout that wins without slowdown wins with it
  bool is_told_apart = false;            // loss 0, but some of B are slower than a
};

struct WithoutSlowdown {
  std::vector<std::string>
      same;                    // inputs that distinguish slices, in file order, without those that never vary
  std::int64_t slices = 0;     // slices of two rows or more
  std::int64_t single = 0;     // slices of one row, without a choice
  std::int64_t changed = 0;    // slices whose loss is above 0
  std::int64_t near_ties = 0;  // changed slices that lose 0.1 % or less
  std::int64_t told_apart = 0;  // unchanged slices in which slowdown decides between equals
  double median_loss = 0.0;     // over changed slices
  Slice worst;  // the slice with the largest loss, the first in file order among equals; rows 0: none
  bool is_taxed =
      false;  // kernels and collectives slow each other in some row; otherwise there is nothing to compare
  // Collectives also slow each other in some row; step_time_no_slowdown excludes that.
  bool has_contention = false;
};

// Uses the feasible rows that satisfy `where` (an expression of RowFilter); rows removed by limits stay
// removed in both cases. Memory: one entry per slice.
[[nodiscard]] WithoutSlowdown without_slowdown(const results::ResultRows&, const std::string& where = "");

// Two or three lines; empty if nothing is slowed, or no slice has a choice.
[[nodiscard]] std::string text_of(const WithoutSlowdown&, const results::ResultRows&);
// Adds the member "without_slowdown" to the open object.
void add_without_slowdown(text::Json&, const WithoutSlowdown&, const results::ResultRows&);

}  // namespace echo::query
