// SMs that tensor-parallel transfers hold while they run beside the products of their layer.
#pragma once

#include "simulate/prices/prices.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Reduces the channels of the gathers and scatters on the tensor lane to the SMs that Transformer Engine's
// userbuffers take instead of NCCL. `by_copies`: PyTorch's symmetric memory moves them, with copy engines and
// no SM. Times stand. Numbers of collectives whose channels change differ from those of NCCL's own.
// Precondition: out.collectives and their numbers are filled, tensor-parallel products overlap.
void on_userbuffers(const workload::Workload&, bool by_copies, Prices& out);

}  // namespace echo::simulate
