// How wrong predictions are: percentage errors over groups of measured values.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace echo::validate {

struct Comparison {
  std::string group;
  double measured = 0.0, predicted = 0.0;  // both positive
};

struct ErrorSummary {
  int scored = 0;
  double median_ape = 0.0, mean_ape = 0.0, p90_ape = 0.0;  // absolute percentage error, as a fraction
  double bias = 0.0;                                       // mean of predicted / measured - 1
};

[[nodiscard]] ErrorSummary summarise(const std::vector<Comparison>&);
[[nodiscard]] std::map<std::string, ErrorSummary> summarise_by_group(const std::vector<Comparison>&);

}  // namespace echo::validate
