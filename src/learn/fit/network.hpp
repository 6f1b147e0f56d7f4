// A trainable network of dense layers with ReLU between them: outputs, squared error and its gradient.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace echo::learn {

struct DenseLayer {
  Eigen::MatrixXd weights;  // [outputs][inputs]
  Eigen::VectorXd bias;     // [outputs]
};
using Network = std::vector<DenseLayer>;  // the last has one output

// Inputs are columns: [features][rows].
struct Batch {
  Eigen::MatrixXd inputs;
  Eigen::RowVectorXd target, weight;  // [rows]
};

[[nodiscard]] Eigen::RowVectorXd outputs_of(const Network&, const Eigen::MatrixXd& inputs);

// Half the weighted mean of squared errors.
[[nodiscard]] double loss_of(const Network&, const Batch&);
// Its derivatives with respect to every weight and bias, in the shape of the network.
[[nodiscard]] Network gradient_of(const Network&, const Batch&);

}  // namespace echo::learn
