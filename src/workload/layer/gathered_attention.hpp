// Context-parallel attention with keys and values all-gathered over the context group.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// `after`: a transfer the first op waits for, or none.
void gathered_attention_forward(Builder&, const Shapes&, training::Mixer, TimeCategory part, OpId after);
void gathered_attention_backward(Builder&, const Shapes&, training::Mixer);

}  // namespace echo::workload
