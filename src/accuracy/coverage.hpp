// Checks the coverage of error bands.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace echo::accuracy {

struct BandedError {
  std::string group;   // of runs whose errors are alike: a publication
  double error = 0.0;  // ln(predicted / measured)
  double band = 0.0;   // > 0: what |error| should seldom exceed
};

struct Coverage {
  int rows = 0;
  double covered = 0.0;      // share of them with |error| <= factor * band
  double median_band = 0.0;  // factor * band
};

[[nodiscard]] Coverage coverage(const std::vector<BandedError>&, double factor = 1.0);
[[nodiscard]] std::map<std::string, Coverage> coverage_by_group(const std::vector<BandedError>&,
                                                                double factor = 1.0);

// The least factor whose bands hold `share` of the runs, each group weighing as the root of its rows: between
// equal weights, which the next group to come asks for, and equal rows, by which coverage is counted.
// Precondition: rows.
[[nodiscard]] double factor_that_covers(const std::vector<BandedError>&, double share);

}  // namespace echo::accuracy
