// Adam with decoupled weight decay. Sources: Kingma and Ba, arXiv 1412.6980, algorithm 1; Loshchilov and
// Hutter, arXiv 1711.05101 (biases do not decay).
#pragma once

#include <cstdint>

#include "learn/fit/network.hpp"

namespace echo::learn {

class Adam {
 public:
  Adam(const Network& shape, double learning_rate, double weight_decay);
  void step(Network&, const Network& gradient);

 private:
  Network mean_, square_;
  double learning_rate_, weight_decay_;
  double mean_left_ = 1.0, square_left_ = 1.0;  // powers of the two decays
};

}  // namespace echo::learn
