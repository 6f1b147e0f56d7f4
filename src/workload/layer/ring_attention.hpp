// Ring attention: queries stay on their ranks; keys and values move around a ring of ranks.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// `s`: shapes of one rank of the ring. `after`: a transfer the first op waits for, or none.
void ring_attention_forward(Builder&, const Shapes& s, TimeCategory part, OpId after);
void ring_attention_backward(Builder&, const Shapes& s);

}  // namespace echo::workload
