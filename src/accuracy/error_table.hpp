// Percentage errors of predictions over groups of measured values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace echo::accuracy {

struct Comparison {
  std::string group;
  double measured = 0.0, predicted = 0.0;  // both positive
};

struct ErrorSummary {
  int scored = 0;
  double median_ape = 0.0, mean_ape = 0.0, p90_ape = 0.0, max_ape = 0.0;  // |predicted / measured - 1|
  double bias = 0.0;                                                      // mean of predicted / measured - 1
};

// Names that start with a number stand first, in its order: "8", "16-64", "gpu".
struct ByNumberThenName {
  bool operator()(const std::string& a, const std::string& b) const;
};
using GroupErrors = std::map<std::string, ErrorSummary, ByNumberThenName>;

[[nodiscard]] ErrorSummary summarise(const std::vector<Comparison>&);
[[nodiscard]] GroupErrors summarise_by_group(const std::vector<Comparison>&);

}  // namespace echo::accuracy
