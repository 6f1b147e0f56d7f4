// The dense feed-forward half of a transformer layer: up-projection, activation, down-projection.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Columns of the first product on this rank: twice the width if the net is gated.
[[nodiscard]] std::int32_t feed_forward_inputs(const Shapes&);
[[nodiscard]] ops::KernelKey feed_forward_activation(const Shapes&, ops::KernelKind kind);

// From the norm's output. Returns the sum over the tensor group the next op waits for, or none. `weights`:
// the gather of this rank's weights, or none.
OpId feed_forward(Builder&, const Shapes&, TimeCategory part, OpId weights = OpId::none());
// Up to the activation: the part needed by backward.
void feed_forward_up(Builder&, const Shapes&, TimeCategory part, OpId weights = OpId::none());
// Returns the sum of the input gradient, or none.
OpId feed_forward_backward(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
