// Slowdown of a kernel and a collective that share one GPU.
//
// Problem. Training hides communication behind computation, but the two share SMs and the memory system, so
// neither runs at the speed it has alone. Lee et al. 2025 (arXiv 2507.03114) measured computation slowed by
// 18.9 % on average, and by 40 % at most, on four GPU kinds.
//
// Idea. SMs and HBM bandwidth are divided, each by its own rule; and accesses to memory take longer while the
// collective moves data.
//   SMs.  The collective's c channels are c CTAs that stay resident and share an SM with no other kernel
//         (NVIDIA/nccl issue 689); each holds `sm_per_channel` SMs. The kernel keeps r = max(1, S - c *
//         sm_per_channel) of the GPU's S SMs. A kernel of B equal blocks, one per SM at a time, runs in
//         rounds:
//           C = R(B / r) / R(B / S),   R(x) = max(1, (1 - w) x + w ceil(x))
//         where w is the cost of an unfilled last round, known from the kernel's price. So a product of
//         exactly S blocks takes a second round once one SM is gone, unless blocks are of unequal length (w <
//         1). Work that is distributed evenly over a share s of the SMs is stretched by C = max(1, s S / r).
//   HBM.  Demands are fractions of peak, u of the kernel and v = memory_rate / bandwidth of the collective,
//         neither above the sustained rate, g = `sustained_memory`. Served in proportion to demand, both are
//         stretched by M = max(1, (u + v) / g) where the sum exceeds g. Copy engines hold no SM, but share
//         HBM.
//   Load. Before bandwidth is short, requests wait behind those of the collective: in L2, at the ports of the
//         crossbar, in HBM's queues. Each byte that the collective moves delays them by as much, so a kernel
//         is stretched by L = 1 + l b v, where b = `by_memory`, the elasticity of its time to memory's speed
//         (1 for a streaming kernel, 0.1 to 0.2 for a large product), and l = `latency_under_load`. (An open
//         queue would give v / (1 - v), without bound; a collective has a bounded number of requests in
//         flight, and the profiles show the same l at v = 0.07 and 0.33.) M and L both count waiting for
//         memory, so the longer of the two is taken.
//   kernel factor     = 1 + compute_bound * (C - 1) + max(memory_interference * (M - 1), L - 1)
//   collective factor = 1 + memory_interference * (M - 1) + collective_floor * s
// All are ratios. 24 channels on the 132 SMs of an H100 give C = 1.22 for many rounds, 2 for one (w = 1).
//
// Sources. Rashidi et al., "Enabling Compute-Communication Overlap in Distributed Deep Learning Training
// Platforms", ISCA 2021 (SMs and HBM bandwidth as the two resources that a collective uses); NCCL user guide
// (one CTA per channel); NVIDIA developer forum 337991 and pytorch issue 143988 (products of one block per
// SM take 1.7 to 2 times as long beside NCCL on H100: the second round).
//   Public profiles of torch.profiler (calibrate/slowdown/overlap_fit.cpp; pytorch/torchrec,
// facebookresearch/HolisticTraceAnalysis, deepseek-ai/profile-data) tell the three apart. On V100s, 8 of 80
// SMs gone, products of many rounds take 1.10 to 1.14 times as long: 80 / 72. A product of exactly 80 blocks
// beside 2 channels takes 1.72 times. On an A100 beside an all-reduce of 97 GB/s, reductions of two blocks,
// which want for neither SMs nor bandwidth, take 3 times as long, beside an all-to-all of 40 GB/s 1.35 times,
// and beside one of 1 GB/s on 8 SMs 1.05 times: that is load, and it grows with what the collective moves.
//   Other published facts are in tests/contract/overlap_facts_test.cpp; none is fitted.
//
// Echo's table (NetX-lab/Echo-slowdown, A100, GPT-2 in fp32 by DDP on 2 GPUs) shows four regimes.
//   Products and attention, 31 rows that overlap for more than half of their time: 1.01 in the median, 1.16
//   at most. So few SMs are gone: 2 to 4 of 108, as NCCL uses on PCIe.
//   Streaming kernels of 150 us and more at 83 to 87 % of peak HBM bandwidth, 48 rows: 1.04 in the median, a
//   quarter of them 1.34 to 2.4. A collective that waits for its peers or its links holds its SMs and moves
//   nothing, and the table does not record which it did.
//   Kernels of 3 to 6 us, 52 rows: 1.03 in the median, 16 to 29 for a tenth. That is a wait of up to 126 us
//   which does not grow with the kernel, so no factor describes it; all kernels under 10 us account for 13 %
//   of the time lost in the table, and for 0.4 % of its time.
//   GammaBetaBackward, 24 rows of 3.0 to 7.5, 80 % of the time lost in the table: at most one block per SM,
//   of 1024 threads, at 38 % of peak bandwidth: bound by the latency of memory.
// Over all 619 rows the best setting of SMs and HBM alone found in-sample (2 channels, kernels under 10 us
// assumed to fill no SMs) has an error of 11.6 % in the mean and -2.9 % in total, against 11.7 % and -3.3 %
// for "no slowdown": a tie.
//
// Neglected. SMs that fit no block: beside 24 CTAs of NCCL on an H100 a product of 108 blocks left 11 SMs
// idle (NVIDIA developer forum 339078), perhaps because blocks that come in clusters need neighbours; 132 /
// (108 - 11) would be 1.36. Blocks assigned in advance to CTAs that stay resident (they need a second round
// however many they are); norms of Transformer Engine and Apex are launched like that, unless given an SM
// margin (NVTE_FWD_LAYERNORM_SM_MARGIN), which recipes set for this reason. The collective's own latency
// under load (issue 1433: a send of one CTA takes up to twice as long). Power: the collective uses some, the
// SMs that it holds use less. Launch: a collective behind a kernel that fills the GPU waits for SMs (issue
// 1431).
#include "slowdown/contention.hpp"

#include <algorithm>
#include <cmath>

namespace echo::slowdown {

namespace {

double clamped_share(double share) { return std::clamp(share, 0.0, 1.0); }

// Time of `waves` times as many equal blocks as there are SMs, in units of one block.
double rounds(double waves, double wave_loss) {
  return std::max(1.0, (1.0 - wave_loss) * waves + wave_loss * std::ceil(waves));
}

// The factor by which arithmetic takes longer on `left` of `sms` SMs.
double from_fewer_sms(const ops::KernelPrice& kernel, double sms, double left) {
  if (kernel.blocks <= 0.0) return std::max(1.0, clamped_share(kernel.sm_share) * sms / left);
  const double loss = clamped_share(kernel.wave_loss);
  return rounds(kernel.blocks / left, loss) / rounds(kernel.blocks / sms, loss);
}

}  // namespace

Stretch stretch_of(const Contention& model, const ops::KernelPrice& kernel,
                   const ops::CollectiveEstimate& collective, const Machine& machine) {
  const double sms = machine.sm_count;
  const double left = std::clamp(sms - model.sm_per_channel * collective.channels, 1.0, sms);
  const double sustained = model.sustained_memory;
  const double kernel_demand = std::clamp(kernel.memory_share, 0.0, sustained);
  const double collective_demand =
      std::clamp(collective.memory_rate / machine.memory_bandwidth, 0.0, sustained);
  const double load = clamped_share(collective.memory_rate / machine.memory_bandwidth);
  return {.sms = from_fewer_sms(kernel, sms, left),
          .memory = std::max(1.0, (kernel_demand + collective_demand) / sustained),
          .latency = 1.0 + model.latency_under_load * clamped_share(kernel.by_memory) * load};
}

Factors contend(const Contention& model, const ops::KernelPrice& kernel,
                const ops::CollectiveEstimate& collective, const Machine& machine) {
  const Stretch stretch = stretch_of(model, kernel, collective, machine);
  const double memory_loss = model.memory_interference * (stretch.memory - 1.0);
  const double waiting =
      collective.channels > 0 ? model.collective_floor * clamped_share(kernel.sm_share) : 0.0;
  const double load = stretch.latency - 1.0;
  return {
      .kernel = 1.0 + clamped_share(kernel.compute_bound) * (stretch.sms - 1.0) + std::max(memory_loss, load),
      .collective = 1.0 + memory_loss + waiting,
      .load = load > memory_loss ? load : 0.0};
}

}  // namespace echo::slowdown
