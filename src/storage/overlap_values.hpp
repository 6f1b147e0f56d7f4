// The values in the columns of a dataset of overlaps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "slowdown/overlap_row.hpp"

namespace echo::storage {

// A column that holds a number of a row.
struct OverlapField {
  std::string_view column;
  double (*get)(const slowdown::OverlapRow&);
  void (*set)(slowdown::OverlapRow&, double);  // precondition: where it is coded, a code of the schema
};
// All of them but the members of the kernel's key (ops/kernel_fields.hpp), the words below and what follows
// from other columns (has_shape, slowdown).
[[nodiscard]] std::span<const OverlapField> overlap_fields();
[[nodiscard]] const OverlapField* overlap_field(std::string_view column);  // null where there is none

// A column that holds a word of a row, as a code with names of the file's own.
struct OverlapWord {
  std::string_view column;
  const std::string& (*get)(const slowdown::OverlapRow&);
  void (*set)(slowdown::OverlapRow&, const std::string&);
  bool may_be_unknown;  // an empty one is written as "unknown"
};
[[nodiscard]] const OverlapWord* overlap_word(std::string_view column);  // null where there is none

}  // namespace echo::storage
