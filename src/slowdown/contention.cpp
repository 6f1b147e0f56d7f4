// Slowdown of a kernel and a collective that share one GPU.
//
// Problem. Training hides communication behind computation, but the two share SMs and HBM, so neither runs at
// the speed it has alone. Lee et al. 2025 (arXiv 2507.03114) measured computation slowed by 18.9 % on
// average, and by 40 % at most, on four GPU kinds.
//
// Idea. Two resources are divided, each by its own rule.
//   SMs.  The collective's c channels are c CTAs that stay resident; each holds `sm_per_channel` SMs. The
//   kernel
//         keeps r = max(1, S - c * sm_per_channel) of the GPU's S SMs. A kernel that can use a share s of all
//         SMs is stretched by  C = max(1, s * S / r)  as far as arithmetic bounds it.
//   HBM.  Demands are fractions of peak, u of the kernel and v = memory_rate / bandwidth of the collective,
//   neither
//         above what is sustained, g = `sustained_memory`. Served in proportion to demand, both are stretched
//         by M = max(1, (u + v) / g)  where the sum exceeds g.
//   kernel factor     = 1 + compute_bound * (C - 1) + memory_interference * (M - 1)
//   collective factor = 1 + memory_interference * (M - 1) + collective_floor * s
// All are ratios. 24 channels on the 132 SMs of an H100 give C = 1.22, of the size the paper above reports.
//
// Sources. Rashidi et al., "Enabling Compute-Communication Overlap in Distributed Deep Learning Training
// Platforms", ISCA 2021 (SMs and HBM bandwidth as the two resources a collective takes); NCCL user guide (one
// CTA per channel). The A100 table of NetX-lab/Echo-slowdown (DDP on 2 GPUs, fp32 GPT-2) agrees on large
// GEMMs and attention: median stretch 1.00 to 1.05, which 2 to 4 of 108 SMs explain. Over its 619 rows the
// best setting found in-sample (2 channels, kernels under 10 us taken as filling no SMs) errs by 11.6 % in
// the mean and -2.9 % in total, against 11.7 % and -3.3 % for "no slowdown": on that table the two are a tie.
//
// Neglected. Whole waves: a GEMM of exactly S CTAs takes a second wave once one SM is gone (up to 2x); L2 and
// power sharing; a collective that waits for SMs when it is launched behind a kernel; in Echo's table, short
// kernels and one low-occupancy reduction (4.4x) that neither resource explains.
#include "slowdown/contention.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::slowdown {

static double clamped_share(double share) { return std::clamp(share, 0.0, 1.0); }

Stretch stretch_of(const Contention& model, const ops::KernelPrice& kernel,
                   const ops::CollectiveEstimate& collective, const Machine& machine) {
  const double sms = machine.sm_count;
  const double left = std::max(1.0, sms - model.sm_per_channel * collective.channels);
  const double sustained = model.sustained_memory;
  const double kernel_demand = std::clamp(kernel.memory_share, 0.0, sustained);
  const double collective_demand =
      std::clamp(collective.memory_rate / machine.memory_bandwidth, 0.0, sustained);
  return {.sms = std::max(1.0, clamped_share(kernel.sm_share) * sms / left),
          .memory = std::max(1.0, (kernel_demand + collective_demand) / sustained)};
}

Factors contend(const Contention& model, const ops::KernelPrice& kernel,
                const ops::CollectiveEstimate& collective, const Machine& machine) {
  const Stretch stretch = stretch_of(model, kernel, collective, machine);
  const double memory_loss = model.memory_interference * (stretch.memory - 1.0);
  return {.kernel = 1.0 + clamped_share(kernel.compute_bound) * (stretch.sms - 1.0) + memory_loss,
          .collective = 1.0 + memory_loss + model.collective_floor * clamped_share(kernel.sm_share)};
}

}  // namespace echo::slowdown
