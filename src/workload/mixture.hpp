// A mixture of experts in place of a layer's feed-forward net.
#pragma once

#include "workload/builder.hpp"
#include "workload/shapes.hpp"

namespace echo::workload {

// From the norm's output (the tokens of this rank) to the sum of its experts' outputs; all its transfers have
// ended.
void mixture_forward(Builder&, const Shapes&, Part part);
// Returns the transfer the input gradient still waits for, or -1.
OpIndex mixture_backward(Builder&, const Shapes&, const GradientReady& ready);
// The pass left over where backward is split.
void mixture_weight_gradients(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
