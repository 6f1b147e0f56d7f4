// One depth of multi-token prediction, after the model's last layer.
#pragma once

#include "workload/layer/transformer.hpp"

namespace echo::workload {

// Whether the depth's use of a shared table is the one that completes its gradient.
struct Completes {
  bool head = false, embedding = false;
};

void multi_token_forward(Builder&, const BlockContext&, OpId start_after = OpId::none());
void multi_token_backward(Builder&, const BlockContext&, const GradientReady& ready = {},
                          Completes completes = {});
void multi_token_weight_gradients(Builder&, const BlockContext&);

}  // namespace echo::workload
