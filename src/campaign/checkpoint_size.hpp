// What a checkpoint holds: weights and what the optimizer needs to go on.
#pragma once

#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::campaign {

// Bytes of one checkpoint of the whole model, each parameter once. NaN where they are unknown: a replayed
// trace has no parameters, and adapters on frozen weights are saved in ways of their own.
[[nodiscard]] double checkpoint_bytes(const training::TrainingConfig&, const training::ModelSpec&,
                                      const training::FrameworkSpec&);

}  // namespace echo::campaign
