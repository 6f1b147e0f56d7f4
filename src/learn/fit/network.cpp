#include "learn/fit/network.hpp"

namespace echo::learn {

namespace {

// What each layer hands on, the inputs first.
std::vector<Eigen::MatrixXd> activations_of(const Network& network, const Eigen::MatrixXd& inputs) {
  std::vector<Eigen::MatrixXd> handed_on{inputs};
  for (const DenseLayer& layer : network) {
    Eigen::MatrixXd sums = (layer.weights * handed_on.back()).colwise() + layer.bias;
    if (&layer != &network.back()) sums = sums.cwiseMax(0.0);
    handed_on.push_back(std::move(sums));
  }
  return handed_on;
}

}  // namespace

Eigen::RowVectorXd outputs_of(const Network& network, const Eigen::MatrixXd& inputs) {
  return activations_of(network, inputs).back().row(0);
}

double loss_of(const Network& network, const Batch& batch) {
  const Eigen::RowVectorXd errors = outputs_of(network, batch.inputs) - batch.target;
  return 0.5 * errors.cwiseAbs2().dot(batch.weight) / batch.weight.sum();
}

Network gradient_of(const Network& network, const Batch& batch) {
  const std::vector<Eigen::MatrixXd> handed_on = activations_of(network, batch.inputs);
  Network gradient(network.size());
  Eigen::MatrixXd by_sums =
      ((handed_on.back().row(0) - batch.target).array() * batch.weight.array() / batch.weight.sum()).matrix();
  for (std::size_t layer = network.size(); layer-- > 0;) {
    gradient[layer].weights = by_sums * handed_on[layer].transpose();
    gradient[layer].bias = by_sums.rowwise().sum();
    if (layer == 0) break;
    const Eigen::MatrixXd passes = (handed_on[layer].array() > 0.0).cast<double>();
    by_sums = (network[layer].weights.transpose() * by_sums).cwiseProduct(passes);
  }
  return gradient;
}

}  // namespace echo::learn
