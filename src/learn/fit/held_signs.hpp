// Networks that are monotone in some of their inputs, by constrained signs of their weights.
//
// Each hidden unit gets a sign, +1 and -1 alternately, the output +1, a constrained input its constraint, a
// free input none. A weight between two signed units may not have the sign opposite to the product of theirs.
// Then a unit of sign +1 moves with every constrained input as required, one of sign -1 in the opposite
// direction (ReLU preserves both), and so the output obeys the constraints. Units of both signs are needed:
// with only +1 a ReLU network is convex in the constrained inputs. Free inputs stay free. Rounding cannot
// violate it: products, sums in a fixed order and divisions by a positive scale are monotone operation by
// operation. (Constrained signs: Archer and Wang 1993; both curvatures: Runje and Shankaranarayana, arXiv
// 2205.11775.)
#pragma once

#include <cstdint>
#include <vector>

#include "learn/fit/network.hpp"

namespace echo::learn {

class HeldSigns {
 public:
  // monotone: [features] -1, 0 or +1; all 0 or empty = every weight is free.
  HeldSigns(const std::vector<std::int32_t>& monotone, const std::vector<std::int32_t>& hidden);

  // The allowed sign of the weight from unit i of a layer to unit j of the next; 0 = either.
  [[nodiscard]] std::int32_t between(std::size_t layer, Eigen::Index i, Eigen::Index j) const;
  // Sets weights of the wrong sign to 0.
  void hold(Network&) const;

 private:
  std::vector<std::vector<std::int32_t>> units_;  // [layers + 1][units]; empty = all free
};

}  // namespace echo::learn
