// Whether a study that leaves out the slowdown of overlapped work would choose the same layouts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "results/read_rows.hpp"
#include "text/json.hpp"

namespace echo::query {

// Whether an input is how a model is laid out on GPUs. All others (model, machine, software, batch, formats)
// say what is asked: rows are compared where these are equal.
[[nodiscard]] bool is_of_layout(std::string_view input);

// A slice: feasible rows that are equal in every input but the layout. With a = the least step_time of a
// slice and B = the rows of the least step_time_no_slowdown, to the picosecond, its loss is the least
// step_time of B over a, minus one: what the luckiest choice among them costs.
struct Slice {
  std::int64_t rows = 0;
  std::int64_t with = -1, without = -1;  // rows of a and of the loss; the first in file order among equals
  double loss = 0.0;                     // 0: a layout that wins without slowdown wins with it
  bool is_told_apart = false;            // loss 0, but some of B are slower than a
};

struct WithoutSlowdown {
  std::vector<std::string>
      same;                    // inputs that tell slices apart, in file order; those that never vary left out
  std::int64_t slices = 0;     // of two rows or more
  std::int64_t single = 0;     // of one, where there is nothing to choose
  std::int64_t changed = 0;    // slices whose loss is above 0
  std::int64_t near_ties = 0;  // of these, those that lose 0.1 % or less
  std::int64_t told_apart = 0;  // unchanged slices in which slowdown decides between equals
  double median_loss = 0.0;     // over changed slices
  Slice worst;                  // the largest loss, the first in file order among equals; rows 0: none
  bool is_taxed = false;  // kernels and collectives slow each other in some row; else there is nothing to ask
  // Collectives slow each other in some row, too; step_time_no_slowdown is without that.
  bool has_contention = false;
};

// Over the feasible rows that `where` (RowFilter's expression) keeps; rows that limits drop stay dropped
// either way. Memory: one entry a slice.
[[nodiscard]] WithoutSlowdown without_slowdown(const results::ResultRows&, const std::string& where = "");

// Two or three lines; empty where nothing is taxed, or no slice has a choice.
[[nodiscard]] std::string text_of(const WithoutSlowdown&, const results::ResultRows&);
// The member "without_slowdown" of an open object.
void add_without_slowdown(text::Json&, const WithoutSlowdown&, const results::ResultRows&);

}  // namespace echo::query
