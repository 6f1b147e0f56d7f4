// The plain second half of a transformer layer: a product that widens, an activation, one that narrows.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Columns of the first product on this rank: two of them where the net is gated.
[[nodiscard]] std::int32_t feed_forward_inputs(const Shapes&);
[[nodiscard]] ops::KernelKey feed_forward_activation(const Shapes&, ops::KernelKind kind);

// From the norm's output. Returns the sum over the tensor group the next op waits for, or -1. `weights`: what
// brings this rank's weights, or -1.
OpIndex feed_forward(Builder&, const Shapes&, TimeCategory part, OpIndex weights = -1);
// As far as the activation: what backward needs of it.
void feed_forward_up(Builder&, const Shapes&, TimeCategory part, OpIndex weights = -1);
// Returns the sum of the input gradient, or -1.
OpIndex feed_forward_backward(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
