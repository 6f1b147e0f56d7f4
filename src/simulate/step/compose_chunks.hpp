// Computes chunk times from ops: each distinct block is composed once, then multiplied.
#pragma once

#include <cstdint>

#include "machine/cluster.hpp"
#include "simulate/step/workspace.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/model.hpp"

namespace echo::simulate {

// off: nothing that overlaps slows; apart: kernels and collectives slow each other, collectives do not;
// on: all that do.
enum class Slowdown : std::int8_t { off, apart, on };

// Fills ws.blocks, ws.times, ws.chunks and ws.collectives_meet.
void compose_chunks(const training::TrainingConfig&, const training::ModelSpec&,
                    const training::FrameworkSpec&, const machine::ClusterSpec&, Slowdown, Workspace& ws);

}  // namespace echo::simulate
