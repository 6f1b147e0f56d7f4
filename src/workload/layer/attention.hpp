// The attention half of a transformer layer: projections, positions and, between them, core_attention.hpp.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// From the norm's output to the projected context. Returns the sum over the tensor group the next op waits
// for, or none.
OpId attention_forward(Builder&, const Shapes&, training::Mixer, TimeCategory part);
// Recomputes the core and latent up-projections if selected. Returns the sum of the input gradient, or none.
OpId attention_backward(Builder&, const Shapes&, training::Mixer, const GradientReady& ready);
// Its ops under per-op recomputation; returns a transfer the next op waits for, or none.
OpId attention_per_op(Builder&, const Shapes&, training::Mixer, KeptProducts&);
// The separate pass of a split backward.
void attention_weight_gradients(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
