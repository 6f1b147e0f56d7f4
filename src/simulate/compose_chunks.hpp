// Ops -> chunk times: each distinct block is composed once, then multiplied.
#pragma once

#include "simulate/workspace.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::simulate {

enum class Slowdown : bool { off, on };

// Fills ws.blocks, ws.times and ws.chunks.
void compose_chunks(const training::TrainingConfig&, const training::ModelSpec&,
                    const training::FrameworkSpec&, Slowdown, Workspace& ws);

}  // namespace echo::simulate
