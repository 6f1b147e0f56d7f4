// One-shot and two-shot all-reduce, which vLLM and TensorRT-LLM use instead of NCCL for short messages inside
// a node: GPUs read each other's buffers. One shot: each reads the buffers of all peers; two shots: each sums
// its part, then reads the other parts.
//   one:  T = 5 us + (n-1) S / rate        two GPUs; up to four below 512 KiB; up to eight below 256 KiB
//   two:  T = 8 us + 2 S (n-1)/n / rate    up to 8 MiB;   rate = 0.32 of a GPU's links
// Source: vllm-project/vllm csrc/custom_all_reduce.cuh (thresholds, 36 thread blocks) and
// device_communicators/custom_all_reduce.py (8 MiB; 2, 4, 6 or 8 GPUs). The three constants fit 132 timings
// of its kernels in CUDA graphs on A100, H100, H200 and B200 (ai-dynamo/aiconfigurator,
// custom_allreduce_perf, vLLM 0.14 and 0.24, 8 KiB to 8 MiB): median error 11 %, mean 17 % (B200 37 %: 36
// blocks do not fill its links). HBM traffic: the buffer is read by every reader, the result written.
// Neglected: the copy into registered buffers, multicast variants.
#pragma once

#include "collective/algorithm.hpp"

namespace echo::collective {

enum class Shots : std::int8_t { one, two };
inline constexpr std::int32_t custom_blocks = 36;

// Whether the kernel supports the call with this number of shots.
[[nodiscard]] inline bool custom_serves(const Call& call, const Communicator& c, ops::Protocol p,
                                        Shots shots) {
  constexpr std::int64_t kib = 1024, most = 8192 * kib;
  if (!c.calls(ops::CommKernel::custom_all_reduce) || c.multi_node() || c.inside != Level::nvlink)
    return false;
  if (call.kind != ops::CollectiveKind::all_reduce || p != ops::Protocol::simple) return false;
  if (c.ranks > 8 || c.ranks % 2 != 0 || call.bytes > most) return false;
  const bool one = c.ranks == 2 || call.bytes < (c.ranks <= 4 ? 512 * kib : 256 * kib);
  return one == (shots == Shots::one);
}

[[nodiscard]] inline Cost custom_cost(const Call& call, const Communicator& c, Shots shots) {
  constexpr double start_one = 5.0, start_two = 8.0, link_share = 0.32;
  const double bytes = static_cast<double>(call.bytes);
  const Rate rate{.value = 1000.0 * c.nvlink * link_share, .scale_up = true};
  const double read = (shots == Shots::one ? c.ranks - 1.0 : 2.0 * (c.ranks - 1.0) / c.ranks) * bytes;
  return {as_latency(shots == Shots::one ? start_one : start_two) + read / rate, read + 2.0 * bytes};
}

}  // namespace echo::collective
