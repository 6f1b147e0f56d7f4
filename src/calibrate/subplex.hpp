// The least value of a function of logarithms, from zeros: what fits of standard deviations search.
#pragma once

#include <cstddef>
#include <nlopt.hpp>
#include <vector>

namespace echo::calibrate {

struct SubplexLimits {
  double most;       // of each logarithm, in either direction
  double tolerance;  // relative, of the value
  int evaluations;
};

// Leaves `function` evaluated at the place it found. Deterministic (Rowan's Subplex, as NLopt has it).
template <class Function>
void search_least(Function& function, std::size_t count, const SubplexLimits& limits) {
  std::vector<double> x(count, 0.0);
  nlopt::opt optimizer(nlopt::LN_SBPLX, static_cast<unsigned>(count));
  optimizer.set_lower_bounds(-limits.most);
  optimizer.set_upper_bounds(limits.most);
  optimizer.set_initial_step(0.2);
  optimizer.set_ftol_rel(limits.tolerance);
  optimizer.set_maxeval(limits.evaluations);
  optimizer.set_min_objective([](const std::vector<double>& at, std::vector<double>&,
                                 void* data) { return (*static_cast<Function*>(data))(at); },
                              &function);
  double least = 0.0;
  optimizer.optimize(x, least);
  function(x);
}

}  // namespace echo::calibrate
