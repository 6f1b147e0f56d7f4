// Memory of logits and of the loss's tensors at the peak.
#pragma once

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::training {

// Bytes of one microbatch on a gpu rank of the last stage: `logits`, and `stream` for the final norm;
// `put_off`: of all microbatches whose weight gradients wait for the end of the step.
struct LossMemory {
  double logits = 0, stream = 0, put_off = 0;
};
[[nodiscard]] LossMemory loss_memory(const TrainingConfig&, const ModelSpec&, const FrameworkSpec&);

}  // namespace echo::training
