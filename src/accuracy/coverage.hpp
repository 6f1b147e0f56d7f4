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
  double shift = 0.0;        // their median error
  double spread = 0.0;       // median distance of their errors from it
};

[[nodiscard]] Coverage coverage(const std::vector<BandedError>&, double factor = 1.0);
[[nodiscard]] std::map<std::string, Coverage> coverage_by_group(const std::vector<BandedError>&,
                                                                double factor = 1.0);

// The least factor whose bands contain `share` of the runs, every group having the same weight: the next run
// to be predicted is of a group of its own. Precondition: rows.
[[nodiscard]] double factor_that_covers(const std::vector<BandedError>&, double share);

}  // namespace echo::accuracy
