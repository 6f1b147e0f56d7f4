// The electric power of a job over one step, from the step's timeline. NaN where the catalog does not have
// the power of its GPU or of its nodes, or the step is unknown.
#pragma once

#include "machine/gpu.hpp"
#include "simulate/catalog.hpp"
#include "simulate/report.hpp"
#include "training/config.hpp"

namespace echo::campaign {

// Mean power of one GPU, in watts: between power.idle and power.cap.
[[nodiscard]] double gpu_power(const simulate::StepReport&, const machine::GpuPower& power);

// Mean power of all nodes of the job at their plugs, in watts: GPUs, the rest of the nodes, and the loss of
// their power supplies. A node that the job fills in part counts whole. Without switches, storage and cooling
// of the site.
[[nodiscard]] double job_power(const training::TrainingConfig&, const simulate::StepReport&,
                               const simulate::Catalog&);

}  // namespace echo::campaign
