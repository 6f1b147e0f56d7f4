// When gradients are summed if the config leaves it to the framework.
#pragma once

#include "training/framework.hpp"

namespace echo::training {

// Whether they are sent while the backward pass still runs. Frameworks that keep sums beside 16-bit gradients
// with PyTorch's DDP do not use DDP with sharded states; they sum one buffer after the last backward pass.
// Source: nanotron src/nanotron/trainer.py, make_ddp and sync_gradients_across_dp.
[[nodiscard]] inline bool sums_beside_backward(const FrameworkSpec& framework, ZeroStage zero) {
  const bool loses_ddp = framework.gradients == GradientStore::accumulated && zero >= ZeroStage::optimizer;
  return framework.overlap.grad_reduce && !loses_ddp;
}

}  // namespace echo::training
