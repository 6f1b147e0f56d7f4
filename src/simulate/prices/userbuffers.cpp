// Transformer Engine sets aside a number of SMs for each overlapped transfer, whatever NCCL would take
// (transformer_engine/pytorch/module/base.py, initialize_ub: num_sm). Gathers move around a ring by copy
// engines or by one SM; those in bulk beside an input gradient take 2 to 4 in NVIDIA's recipes (NeMo,
// userbuffers_bf16_h100_*: qkv_dgrad, fc1_dgrad). Scatters must add: 16 by default, 24 in some recipes.
// PyTorch's symmetric memory copies with copy engines (torch/distributed/_symmetric_memory,
// _pipelined_multi_all_gather_and_consume).
#include "simulate/prices/userbuffers.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace echo::simulate {

namespace {

constexpr std::int32_t sms_of_gather = 2, sms_of_scatter = 16;
constexpr std::int32_t other_numbers = 1 << 30;  // beyond those of any memo

}  // namespace

void on_userbuffers(const workload::Workload& work, bool by_copies, Prices& out) {
  const std::int32_t kernels = length_of(out.kernels);
  for (const BlockId block : ids<BlockId>(work.block_count)) {
    const workload::OpGraph& graph = work.blocks[at(block)];
    for (std::size_t op = 0; op < graph.work.size(); ++op) {
      if (graph.lane[op] != Lane::tensor) continue;
      const std::size_t which = at(collective_of(graph.work[op], kernels));
      const ops::CollectiveKind kind = work.collectives[which].kind;
      const bool gathers = kind == ops::CollectiveKind::all_gather;
      if ((!gathers && kind != ops::CollectiveKind::reduce_scatter) ||
          out.collective_number[which] >= other_numbers)
        continue;
      std::int32_t& channels = out.collectives[which].channels;
      channels = by_copies ? 0 : std::min(channels, gathers ? sms_of_gather : sms_of_scatter);
      out.collective_number[which] += other_numbers;
    }
  }
}

}  // namespace echo::simulate
