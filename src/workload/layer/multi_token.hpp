// One depth of multi-token prediction, behind the model's last layer.
#pragma once

#include "workload/layer/transformer.hpp"

namespace echo::workload {

// The depth's use of a table it shares with others may be the one that completes the gradient.
struct Completes {
  bool head = false, embedding = false;
};

void multi_token_forward(Builder&, const BlockContext&, OpIndex start_after = -1);
void multi_token_backward(Builder&, const BlockContext&, const GradientReady& ready = {},
                          Completes completes = {});
void multi_token_weight_gradients(Builder&, const BlockContext&);

}  // namespace echo::workload
