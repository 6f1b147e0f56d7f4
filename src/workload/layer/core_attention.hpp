// Core attention: scores, softmax and context, between the query-key-value product and the projection.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// `after`: a transfer the first kernel waits for, or none.
void core_attention_forward(Builder&, const Shapes&, training::Mixer, TimeCategory part,
                            OpId after = OpId::none());
void core_attention_backward(Builder&, const Shapes&, training::Mixer);

}  // namespace echo::workload
