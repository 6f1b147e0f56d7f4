// The points that no other point beats in both of two objectives.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "results/read_rows.hpp"
#include "sweep/spec.hpp"

namespace echo::results {

struct ParetoPoint {
  std::int64_t row = 0;
  double first = 0.0, second = 0.0;  // values of the two objectives
};

// The front of rows that are seen one by one, or part by part.
class Staircase {
 public:
  Staircase(const sweep::Objective& first, const sweep::Objective& second);
  void add(const ParetoPoint&);  // by ascending row
  [[nodiscard]] std::vector<ParetoPoint> points() const;

 private:
  struct Step {
    double height;
    std::int64_t row;
  };
  double first_sign_, second_sign_;  // 1 where less is better
  std::map<double, Step> steps_;
};

// Feasible rows that none is as good as in both objectives and better in one, the best of the first
// objective first. If rows are equal in both, the first stays. Rows without either value take no part.
// Memory: the front.
[[nodiscard]] std::vector<ParetoPoint> pareto_front(const ResultRows&, const sweep::Objective& first,
                                                    const sweep::Objective& second);

}  // namespace echo::results
