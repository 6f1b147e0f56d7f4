// The routed experts of one rank.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/transformer.hpp"
#include "workload/mixture/mixture_shapes.hpp"

namespace echo::workload {

// From the tokens that arrived to the results that leave; `arrived`: the transfer, or none.
void experts_forward(Builder&, const Mixture&, TimeCategory part, OpId arrived);
void experts_backward(Builder&, const Mixture&, OpId arrived, const GradientReady& ready);
// The weight gradients of the two products, down first, in the order of the backward pass.
void expert_weight_gradients(Builder&, const Mixture&, const GradientReady& ready);

}  // namespace echo::workload
