#include "learn/fit/adam.hpp"

#include <cmath>

namespace echo::learn {

namespace {

constexpr double mean_decay = 0.9, square_decay = 0.999, least_step = 1e-8;

template <class Numbers>
void follow(Numbers& mean, Numbers& square, const Numbers& gradient) {
  mean = mean_decay * mean + (1.0 - mean_decay) * gradient;
  square = square_decay * square + (1.0 - square_decay) * gradient.cwiseAbs2();
}

}  // namespace

Adam::Adam(const Network& shape, double learning_rate, double weight_decay)
    : mean_(shape), square_(shape), learning_rate_(learning_rate), weight_decay_(weight_decay) {
  for (std::size_t layer = 0; layer < shape.size(); ++layer) {
    for (Network* moments : {&mean_, &square_}) {
      (*moments)[layer].weights.setZero();
      (*moments)[layer].bias.setZero();
    }
  }
}

void Adam::step(Network& network, const Network& gradient) {
  mean_left_ *= mean_decay;
  square_left_ *= square_decay;
  const auto move = [this](auto& numbers, const auto& mean, const auto& square) {
    numbers.array() -= learning_rate_ * (mean.array() / (1.0 - mean_left_)) /
                       ((square.array() / (1.0 - square_left_)).sqrt() + least_step);
  };
  for (std::size_t layer = 0; layer < network.size(); ++layer) {
    follow(mean_[layer].weights, square_[layer].weights, gradient[layer].weights);
    follow(mean_[layer].bias, square_[layer].bias, gradient[layer].bias);
    network[layer].weights *= 1.0 - learning_rate_ * weight_decay_;
    move(network[layer].weights, mean_[layer].weights, square_[layer].weights);
    move(network[layer].bias, mean_[layer].bias, square_[layer].bias);
  }
}

}  // namespace echo::learn
