// The attention half of a transformer layer: projections, positions and what core_attention.hpp puts between
// them.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// From the norm's output to the projected context. Returns the sum over the tensor group the next op waits
// for, or -1.
OpIndex attention_forward(Builder&, const Shapes&, training::Mixer, TimeCategory part);
// Recomputes the core and latent up-projections where these are selected. Returns the sum of the input
// gradient, or -1.
OpIndex attention_backward(Builder&, const Shapes&, training::Mixer, const GradientReady& ready);
// What per-op recomputation repeats of it; returns a transfer the next op waits for, or -1.
OpIndex attention_per_op(Builder&, const Shapes&, training::Mixer, KeptProducts&);
// The pass left over where backward is split.
void attention_weight_gradients(Builder&, const Shapes&, const GradientReady& ready);

}  // namespace echo::workload
