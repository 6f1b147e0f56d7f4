// Attention over a sequence that context ranks share, with the keys and values of all of them in one place.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// `after`: a transfer the first op waits for, or -1.
void gathered_attention_forward(Builder&, const Shapes&, training::Mixer, TimeCategory part, OpIndex after);
void gathered_attention_backward(Builder&, const Shapes&, training::Mixer);

}  // namespace echo::workload
