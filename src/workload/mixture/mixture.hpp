// A mixture of experts instead of a layer's feed-forward net.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// From the norm's output (the tokens of this rank) to the sum of its experts' outputs; all its transfers are
// complete. `start_after`: op the first kernel waits for (a parameter gather), or none. The part that has
// been entered, that of the router, ends where tokens leave.
void mixture_forward(Builder&, const Shapes&, TimeCategory part, GraphedParts&,
                     OpId start_after = OpId::none());
// The shared experts alone; returns the sum over the tensor group the next op waits for, or none.
OpId shared_experts_forward(Builder&, const Shapes&, TimeCategory part, OpId start_after = OpId::none());
// Its ops under per-op recomputation.
void mixture_per_op(Builder&, const Shapes&, KeptProducts&);
// Returns the transfer the input gradient still waits for, or none; ends within the part of the router.
OpId mixture_backward(Builder&, const Shapes&, GraphedParts&, const GradientReady& ready);
// The separate pass of a split backward.
void mixture_weight_gradients(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
