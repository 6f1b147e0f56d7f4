// When gradients are summed, where a config leaves it to its framework.
#pragma once

#include "training/framework.hpp"

namespace echo::training {

// Whether they leave while the backward pass still runs. Frameworks whose sums beside 16-bit gradients ride
// on PyTorch's DDP do without it once states are sharded, and sum one buffer after the last backward pass.
// Source: nanotron src/nanotron/trainer.py, make_ddp and sync_gradients_across_dp.
[[nodiscard]] inline bool sums_beside_backward(const FrameworkSpec& framework, ZeroStage zero) {
  const bool loses_ddp = framework.gradients == GradientStore::accumulated && zero >= ZeroStage::optimizer;
  return framework.overlap.grad_reduce && !loses_ddp;
}

}  // namespace echo::training
