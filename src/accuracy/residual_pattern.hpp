// Finds the quantity that correlates with the residuals of similar rows and best explains the residual of one
// row. It is a correlation, hence only a possible cause.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace echo::accuracy {

struct ResidualRow {
  std::string group;          // rows of one group are comparable
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
  double explained = 0.0;     // part of the row's residual that the line adds to `mean`
  int unusual = -1;           // the most unusual quantity of the row; -1: none
  double unusual_mean = 0.0;  // of the other rows of its group
};

// The pattern of rows[row]. A quantity is unusual if it differs from the mean of the group's other rows by at
// least three of their standard deviations. A quantity passes if there are fewest_like_rows of those or
// more, its correlation with their residuals is weakest_correlation or more, and its line explains between a
// quarter and twice the difference of the row's residual from their mean. The highest correlation among those
// that pass wins, then the first.
[[nodiscard]] ResidualPattern pattern_of(std::span<const ResidualRow> rows, std::size_t row);

}  // namespace echo::accuracy
