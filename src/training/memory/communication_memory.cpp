// Inside the allocator:
//   hops            a send and a receive buffer each way
//   all-to-alls     a token's copies as sent and as received
//   sharded weights the unit that runs and those gathered ahead of it, in 16 bit (or 8), or all of them where
//                   they are not freed; the root's (embeddings) always; gradients of one unit, and the buffer
//                   they are reduced from. Weights of a memory tier come the same way
//   DeepSpeed       two buckets into which gradients are copied (reduce_bucket_size, 5e8 numbers;
//                   overlap_comm)
// Outside:
//   NCCL            a connection's buffers are 4 MiB (simple), 0.5 (LL) and 4.7 (LL128)
//                   (src/include/device.h, init.cc); a channel has two (ring and tree) in groups of two,
//                   three in larger ones; the number of channels is that of src/graph/search.cc. 4 A100
//                   (github.com/NVIDIA/nccl/issues/964): 544 and 688 MB, of which this gives 463 and 694.
//                   Sends and receives connect 12 MiB per channel and peer: on 8 H100 an all-to-all 3.3
//                   GB (issues/1685), of which this gives 2.8; to other nodes one shared buffer per
//                   communicator. All ranks meet in a communicator of their own at the first barrier
//                   (megatron/training/initialize.py; PyTorch's is an all-reduce), unless weights are
//                   sharded over all of them (a device mesh takes the job's own).
//   user buffers    Transformer Engine registers ten of one gathered activation each (module/base.py,
//                   initialize_ub)
// Neglected: NVLS buffers, DeepEP's, gloo.
#include "training/memory/communication_memory.hpp"

#include <algorithm>

#include "training/layout/expert_load.hpp"
#include "training/layout/rank_parameters.hpp"
#include "training/memory/number_formats.hpp"
#include "training/memory/stored_bytes.hpp"

namespace echo::training {

namespace {

constexpr double mib = 1024.0 * 1024.0;
constexpr double connection_bytes = (4.0 + 0.5 + 4.6875) * mib;
constexpr double peer_channel_bytes = 12.0 * mib;
constexpr double shared_network_bytes = 128.0 * mib;  // 32 channels, 2 x 16 steps of 128 KiB

// Channels of a communicator: ops::collective::channel_graph finds the same numbers for whole nodes.
std::int32_t channels_of(const machine::GpuSpec& gpu, bool across) {
  if (across) return 16;
  return gpu.compute_capability >= 100 ? 32 : 24;
}

double unit_bytes_each(const TrainingConfig& c, const machine::GpuSpec& gpu) {
  return c.recipe.fp8_gather && machine::is_narrow(c.precision)
             ? narrow_format(c, gpu.compute_capability).bytes
             : machine::element_bytes(c.precision);
}

// Units of sharded weights are layers.
double gathered_units(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                      const RankLayout& layout, const machine::GpuSpec& gpu, std::int32_t stage) {
  double root = static_cast<double>(stage_parameters(c, m, f, layout, stage).total());
  double unit = 0.0, layers = 0.0;
  for (std::size_t chunk = 0; chunk < layout.chunk_layers.size(); ++chunk) {
    if (layout.stage_of_chunk[chunk] != stage) continue;
    for (const LayerCount& like : layout.chunk_kinds.row(static_cast<std::int32_t>(chunk))) {
      const auto weights = static_cast<double>(layer_parameters_per_rank(c, m, like.kind).total());
      root -= weights * like.count;
      layers += like.count;
      unit = std::max(unit, weights);
    }
  }
  const double at_once = c.recipe.fsdp_reshard ? std::min(layers, 1.0 + c.recipe.fsdp_prefetch) : layers;
  const double e = machine::element_bytes(c.precision);
  const double reduced_from = c.recipe.fp32_gradients ? 4.0 : e;
  const bool reduces = layout.shard.ranks > 1 && c.recipe.lora_rank == 0;
  const double grads = reduces ? (unit + root) * e + unit * reduced_from : 0.0;
  return at_once * unit * unit_bytes_each(c, gpu) + root * e + grads;
}

double hop_buffers(const TrainingConfig& c, const ModelSpec& m) {
  if (c.degrees.pipeline == 1) return 0.0;
  return 4.0 * tokens_per_rank(c) * machine::element_bytes(c.precision) * m.hidden / sequence_shares(c);
}

double bucket_buffers(const TrainingConfig& c, double parameters) {
  constexpr double bucket = 5e8;
  return 2.0 * std::min(bucket, parameters) * machine::element_bytes(c.precision);
}

double world_bytes(const TrainingConfig& c, const RankLayout& layout, const machine::GpuSpec& gpu) {
  const std::int32_t ranks = gpus_of(c.degrees);
  if (c.zero == ZeroStage::parameters && layout.shard.ranks == ranks) return 0.0;
  return communicator_bytes(
      gpu, {.ranks = ranks, .nodes = std::max(layout.model.nodes, layout.data_context.nodes)});
}

double library_bytes(const TrainingConfig& c, const ModelSpec& m, const RankLayout& layout,
                     const machine::GpuSpec& gpu, std::int32_t stage) {
  double sum = world_bytes(c, layout, gpu);
  for (const machine::GroupSpan* group : {&layout.tensor, &layout.data_context, &layout.model})
    sum += communicator_bytes(gpu, *group);
  if (m.has_experts()) {
    sum += communicator_bytes(gpu, layout.expert_data);
    const machine::GroupSpan& expert = layout.expert;
    if (expert.ranks > 1) sum += peer_to_peer_bytes(gpu, expert.ranks_per_node - 1, expert.nodes > 1);
  }
  if (layout.context.ranks > 1) {
    const bool ring = c.recipe.cp_comm == ContextComm::ring || c.recipe.cp_comm == ContextComm::hybrid;
    const std::int32_t peers =
        ring ? std::min(2, layout.context.ranks - 1) : layout.context.ranks_per_node - 1;
    sum += c.recipe.cp_comm == ContextComm::all_gather
               ? communicator_bytes(gpu, layout.context)
               : peer_to_peer_bytes(gpu, std::min(peers, layout.context.ranks_per_node - 1),
                                    layout.context.nodes > 1);
  }
  if (c.degrees.pipeline > 1) {
    const auto at = static_cast<std::size_t>(stage);
    const bool next = layout.hop_crosses_nodes[at];
    const bool before = layout.hop_crosses_nodes[at == 0 ? layout.hop_crosses_nodes.size() - 1 : at - 1];
    const std::int32_t neighbours = (next ? 0 : 1) + (before ? 0 : 1);
    sum += peer_to_peer_bytes(gpu, std::min(neighbours, c.degrees.pipeline - 1), next || before);
    const bool end = stage == 0 || stage + 1 == c.degrees.pipeline;
    if (m.tied_embeddings && end) sum += communicator_bytes(gpu, layout.embedding);
  }
  if (c.overlap.tensor && c.degrees.tensor > 1 && c.zero < ZeroStage::parameters)
    sum += 10.0 * tokens_per_rank(c) * machine::element_bytes(c.precision) * m.hidden;
  return sum;
}

}  // namespace

double communicator_bytes(const machine::GpuSpec& gpu, const machine::GroupSpan& group) {
  if (group.ranks < 2) return 0.0;
  return channels_of(gpu, group.nodes > 1) * (group.ranks > 2 ? 3.0 : 2.0) * connection_bytes;
}

double peer_to_peer_bytes(const machine::GpuSpec& gpu, std::int32_t peers_within, bool across) {
  const double channels = gpu.compute_capability >= 90 ? 32.0 : 16.0;
  return peers_within * channels * peer_channel_bytes + (across ? shared_network_bytes : 0.0);
}

CommunicationMemory communication_memory(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                         const RankLayout& layout, const machine::GpuSpec& gpu,
                                         std::int32_t stage) {
  CommunicationMemory out;
  out.buffers = hop_buffers(c, m);
  if (m.has_experts())
    out.buffers += 2.0 * routed_tokens(c, m) * machine::element_bytes(c.precision) * m.hidden;
  if ((c.zero == ZeroStage::parameters && layout.shard.ranks > 1) || c.recipe.offload_weights)
    out.buffers += gathered_units(c, m, f, layout, gpu, stage);
  else if (f.gradients == GradientStore::partitioned && c.zero != ZeroStage::none)
    out.buffers += bucket_buffers(c, static_cast<double>(stage_parameters(c, m, f, layout, stage).total()));
  out.libraries = library_bytes(c, m, layout, gpu, stage);
  return out;
}

}  // namespace echo::training
