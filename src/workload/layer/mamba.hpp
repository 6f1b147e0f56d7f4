// The Mamba-2 half of a layer: a state passed from token to token instead of attention.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// From the norm's output to the projected result. Returns the sum over the tensor group the next op waits
// for, or none.
OpId mamba_forward(Builder&, const Shapes&, TimeCategory part);
// Returns the sum of the input gradient, or none.
OpId mamba_backward(Builder&, const Shapes&, const GradientReady& ready);
// The separate pass of a split backward.
void mamba_weight_gradients(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
