// Finds the quantity that correlates with the residuals of similar rows and best explains the residual of one
// row. It is a correlation, hence only a possible cause.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace echo::accuracy {

struct ResidualRow {
  std::string group;          // rows of one group are like rows
  double residual = 0.0;      // ln(predicted / measured)
  std::vector<double> value;  // [quantities] finite; one length for all rows
};

inline constexpr int fewest_like_rows = 6;
inline constexpr double weakest_correlation = 0.4;  // that is worth a word; 0.16 of the variance

struct ResidualPattern {
  int like_rows = 0;          // rows of the group, the row itself left out
  double mean = 0.0;          // of their residuals
  int quantity = -1;          // -1: no quantity passes
  double correlation = 0.0;   // of the quantity and their residuals
  double explained = 0.0;     // of the row's residual: what the line says beyond `mean`
  int unusual = -1;           // the quantity that stands out most in the row; -1: none does
  double unusual_mean = 0.0;  // of the like rows
};

// Of rows[row]. A quantity stands out by standard deviations of the like rows from their mean, and by three
// at least. One passes that correlates at least that much with the residuals of that many like
// rows, and whose line explains a quarter of what sets the row's residual apart from their mean or more, and
// no more than twice it. Of those that pass, the highest correlation wins, then the first.
[[nodiscard]] ResidualPattern pattern_of(std::span<const ResidualRow> rows, std::size_t row);

}  // namespace echo::accuracy
