// Pooling of sustained rates over publications and GPU kinds by random effects.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace echo::calibrate {

// log(1 + sustained) as the runs of one publication on one GPU kind and operand width show it.
struct RateObservation {
  std::string family, kind;  // of GPUs: kinds of one family share a die, and differ in their power limits
  int width = 16;            // bits of an operand
  std::string publication;
  double log_factor = 0.0;
  int layouts = 1;  // that differ: runs of one layout repeat each other
};

struct PooledRate {
  double log_factor = 0.0, sigma = 0.0;
};

// Standard deviations of logarithms.
struct RateSpread {
  double family = 0.20;       // of the mean of a family and width, around `mean`
  double kind = 0.06;         // of a kind within its family, common to its widths
  double kind_width = 0.04;   // of one of its widths besides
  double publication = 0.08;  // of a publication on a kind and width: release, recipe, room temperature
  double layout = 0.04;       // of one layout besides
  double mean = 0.33;         // prior mean of all families
};

// The best linear estimate of each observation's kind and width under normal effects, where publications far
// from the others lose weight as under Student's t with four degrees of freedom. A kind without observations
// takes its family's mean. Deterministic; the order of the observations does not matter beyond rounding.
[[nodiscard]] PooledRate pooled_rate(std::span<const RateObservation>, const std::string& family,
                                     const std::string& kind, int width, const RateSpread& = {});

}  // namespace echo::calibrate
