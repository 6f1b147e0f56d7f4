// Which SMs a transfer beside products holds is not NCCL's choice. Transformer Engine sets a number of them
// aside for each product by name (pytorch/module/base.py, initialize_ub: num_sm), and how the product is cut
// goes with it (common/comm_gemm_overlap). The defaults: rings for what is gathered, by copy engines
// (use_ce); four parts for scattered results (pipeline) and whole collectives beside whole products (bulk),
// 16 SMs each. A run may name other settings (Megatron-LM --tp-comm-overlap-cfg), and NVIDIA's recipes do.
// The presets of NeMo 2 (collections/llm/recipes/tp_overlap_configs/userbuffers.py) and Megatron-Bridge
// (training/comm_overlap.py) for H100 and B200 agree in this:
//   scattered results   16-bit operands: four parts, on 24 SMs (proj_fprop; 16 to 32) and 16 (fc2_fprop; 8
//                       to 24)
//                       8-bit operands: a ring, num_sm = 1, for which products leave one SM (set_sm_margin)
//   bulk gathers        4 SMs beside qkv_dgrad (2 to 16), 2 beside fc1_dgrad (2 to 4)
//   bulk scatters       24 SMs beside qkv_wgrad (4 to 32), 4 beside fc1_wgrad (2 to 16)
// The commonest numbers are taken for all. MXFP8 and 8-bit recipes of other scales have the presets of 8
// bits. Exceptions: fc2_fprop alone goes around a ring, or both products do, in 16-bit presets of GPT-3 175B
// and Nemotron-4 340B; 8-bit presets of GPT-3 20B and of one LoRA model have pipelines, as all of NeMo 1 and
// of MLPerf v3.1 do but for fc2_fprop of GPT-3 175B. PyTorch's symmetric memory cuts products into one part
// for each rank and copies by copy engines (torch/distributed/_symmetric_memory,
// _pipelined_multi_all_gather_and_consume, _pipelined_produce_and_all2all). The output layer is Megatron's
// own linear layer, whose transfers are NCCL's (core/tensor_parallel/layers.py). Neglected: SMs that products
// leave free while nothing is sent.
//
// With fp8_buf the results of forward products of 8-bit operands are written, sent and read in 8 bit, by the
// scales of earlier steps, and summed in 16 bit; pipelines and rings alike, since the name of the product
// decides (pytorch/module/base.py, methods["pipeline"]), and no input gradient that goes around a ring.
#include "workload/layer/userbuffers.hpp"

namespace echo::workload {

using training::Userbuffers;

Shapes on_userbuffers(const Shapes& s, Transfer transfer) {
  Shapes moved = s;
  if (!s.overlaps()) return moved;
  if (s.x.framework.samples_outermost) {
    moved.set_aside = 0;
    return moved;
  }
  if (s.of_head) return moved;
  const bool own = s.x.config.recipe.userbuffers == Userbuffers::defaults;
  constexpr std::int32_t of_defaults = 16;
  switch (transfer) {
    case Transfer::ring_gather:
      moved.set_aside = 0;
      break;
    case Transfer::ring_scatter:
      moved.set_aside = 1;
      break;
    case Transfer::pipelined_scatter:
      moved.set_aside = own ? of_defaults : s.in_net ? 16 : 24;
      break;
    case Transfer::bulk_gather:
      moved.set_aside = own ? of_defaults : s.in_net ? 2 : 4;
      break;
    case Transfer::bulk_scatter:
      moved.set_aside = own ? of_defaults : s.in_net ? 4 : 24;
      break;
  }
  return moved;
}

std::int64_t scattered_bytes(const Shapes& s) {
  using training::Fp8Scatters;
  const training::TrainingConfig& c = s.x.config;
  const bool chosen = c.recipe.fp8_scatters == Fp8Scatters::all ||
                      (c.recipe.fp8_scatters == Fp8Scatters::attention && !s.in_net);
  const bool in_8_bit = chosen && c.precision == machine::Precision::fp8 && s.is_8_bit();
  return in_8_bit ? s.hidden_bytes() / 2 : s.hidden_bytes();
}

bool scatters_in_ring(const Shapes& s) {
  if (s.x.framework.samples_outermost) return true;
  switch (s.x.config.recipe.userbuffers) {
    case Userbuffers::preset:
      return s.is_8_bit();
    case Userbuffers::ring:
      return true;
    case Userbuffers::ring_fc2:
      return s.in_net;
    case Userbuffers::defaults:
    case Userbuffers::pipeline:
      break;
  }
  return false;
}

}  // namespace echo::workload
