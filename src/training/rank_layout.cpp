#include "training/rank_layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/contract.hpp"

namespace echo::training {

machine::GroupSpan span_of(std::int32_t ranks, std::int32_t stride, std::int32_t gpus_per_node,
                           std::int32_t gpus_in_use) {
  machine::GroupSpan span;
  span.ranks = ranks;
  span.stride = ranks > 1 ? stride : 1;
  const std::int32_t node = std::min(gpus_per_node, gpus_in_use);
  span.ranks_per_node = std::clamp(node / span.stride, 1, ranks);
  span.nodes = (ranks + span.ranks_per_node - 1) / span.ranks_per_node;
  if (span.nodes > 1) span.sharing = std::max(1, node / span.ranks_per_node);
  return span;
}

// Inside a scale-up domain (a node, or an NVL72 rack) every pair of GPUs is one hop of NVLink apart.
static std::int32_t domain_of(const machine::ClusterSpec& cluster) {
  return std::max(cluster.gpus_per_node, cluster.scale_up_domain);
}

std::int32_t context_inner_ranks(const TrainingConfig& c, const machine::ClusterSpec& cluster) {
  const Degrees& d = c.degrees;
  switch (c.recipe.cp_comm) {
    case ContextComm::ulysses:
      return d.context;
    case ContextComm::hybrid: {
      if (c.recipe.cp_inner > 0) return std::min(c.recipe.cp_inner, d.context);
      const machine::GroupSpan whole = span_of(d.context, d.tensor, domain_of(cluster), gpus_of(d));
      return std::gcd(d.context, whole.ranks_per_node);
    }
    case ContextComm::ring:
    case ContextComm::all_gather:
      break;
  }
  return 1;
}

namespace {

// Layers of each chunk: as even as possible, extra layers to the front; embedding and loss may count as one
// each.
void split_layers(const TrainingConfig& c, const ModelSpec& model, const std::vector<std::int32_t>& table,
                  std::vector<std::int32_t>& out) {
  const std::int32_t chunks = chunks_of(c);
  if (!table.empty()) {
    ECHO_EXPECT(static_cast<std::int32_t>(table.size()) == chunks);
    out = table;
    return;
  }
  const std::int32_t embedding = c.layers.embedding_is_layer ? 1 : 0, loss = c.layers.loss_is_layer ? 1 : 0;
  const std::int32_t slots = model.layers + embedding + loss;
  out.resize(static_cast<std::size_t>(chunks));
  for (std::int32_t i = 0; i < chunks; ++i)
    out[static_cast<std::size_t>(i)] = slots / chunks + (i < slots % chunks);
  out.front() -= embedding;
  out.back() -= loss;
}

void find_layer_kinds(const ModelSpec& model, RankLayout& out) {
  out.chunk_first_layer.clear();
  out.chunk_kinds.clear();
  std::int32_t first = 0;
  for (const std::int32_t layers : out.chunk_layers) {
    out.chunk_first_layer.push_back(first);
    const LayerKindCounts of = count_layer_kinds(model, first, layers);
    for (std::size_t i = 0; i < layer_kind_count; ++i)
      if (of[i] > 0) out.chunk_kinds.push({layer_kind_at(i), of[i]});
    out.chunk_kinds.close_row();
    first += layers;
  }
}

// The second dealing-out of a stage's ranks. `replicas`: how many times the optimizer's states exist.
void lay_out_experts(const Degrees& d, std::int32_t replicas, std::int32_t domain, std::int32_t gpus,
                     RankLayout& out) {
  const std::int32_t grid = d.expert * d.expert_tensor;
  const std::int32_t copies = d.tensor * d.context * d.data / grid, sharing = copies / replicas;
  out.expert = span_of(d.expert, d.expert_tensor, domain, gpus);
  const std::int32_t within = out.expert.ranks_per_node;
  out.expert_within = span_of(within, d.expert_tensor, domain, gpus);
  out.expert_across = span_of(d.expert / within, d.expert_tensor * within, domain, gpus);
  out.expert_tensor = span_of(d.expert_tensor, 1, domain, gpus);
  out.expert_grid = span_of(grid, 1, domain, gpus);
  out.expert_data = span_of(copies, grid, domain, gpus);
  out.expert_shard = span_of(sharing, grid, domain, gpus);
  out.expert_replica = span_of(copies / sharing, grid * sharing, domain, gpus);
}

}  // namespace

void lay_out_ranks(const TrainingConfig& c, const ModelSpec& model, const machine::ClusterSpec& cluster,
                   const std::vector<std::int32_t>& layer_table, RankLayout& out) {
  const Degrees& d = c.degrees;
  const std::int32_t gpus = gpus_of(d);
  const std::int32_t domain = domain_of(cluster);
  const std::int32_t replica = d.tensor * d.context * d.data;  // gpu ranks of one stage

  out.tensor = span_of(d.tensor, 1, domain, gpus);
  out.context = span_of(d.context, d.tensor, domain, gpus);
  const std::int32_t inner = context_inner_ranks(c, cluster);
  out.context_inner = span_of(inner, d.tensor, domain, gpus);
  out.context_outer = span_of(d.context / inner, d.tensor * inner, domain, gpus);
  out.data = span_of(d.data, d.tensor * d.context, domain, gpus);
  out.data_context = span_of(d.data * d.context, d.tensor, domain, gpus);
  const std::int32_t copies = d.data * d.context;
  const std::int32_t sharing = c.zero_group > 0 ? std::min(c.zero_group, copies) : copies;
  out.shard = span_of(sharing, d.tensor, domain, gpus);
  out.replica = span_of(copies / sharing, d.tensor * sharing, domain, gpus);
  lay_out_experts(d, copies / sharing, domain, gpus, out);
  out.pipeline = span_of(d.pipeline, replica, domain, gpus);
  out.embedding = span_of(std::min(d.pipeline, 2), (d.pipeline - 1) * replica, domain, gpus);
  // Tensor and pipeline ranks of one replica: every node that holds any of them takes part.
  const std::int32_t per_node =
      std::min({d.tensor * d.pipeline, domain, std::max(d.tensor, domain / d.data)});
  out.model = machine::GroupSpan{.ranks = d.tensor * d.pipeline, .ranks_per_node = per_node};
  out.model.nodes = (out.model.ranks + per_node - 1) / per_node;
  out.model.sharing = out.model.nodes > 1 ? std::max(1, std::min(domain, gpus) / per_node) : 1;

  out.hop_crosses_nodes.assign(static_cast<std::size_t>(d.pipeline), false);
  for (std::int32_t stage = 0; stage < d.pipeline; ++stage) {
    const std::int32_t next = (stage + 1) % d.pipeline;
    bool crosses = false;  // the slowest pair of the boundary decides
    for (std::int32_t i = 0; i < replica && !crosses; i += d.tensor)
      crosses = (stage * replica + i) / domain != (next * replica + i) / domain;
    out.hop_crosses_nodes[static_cast<std::size_t>(stage)] = crosses;
  }
  split_layers(c, model, layer_table, out.chunk_layers);
  find_layer_kinds(model, out);

  out.stage_of_chunk.resize(out.chunk_layers.size());
  for (std::size_t i = 0; i < out.stage_of_chunk.size(); ++i)
    out.stage_of_chunk[i] = static_cast<std::int32_t>(i) % d.pipeline;
  out.copies = 1;
  out.mirrors.clear();
  out.classes.clear();
  for (std::int32_t stage = 0; stage < d.pipeline; ++stage)
    out.classes.push_back({.stage = stage, .first_gpu_rank = stage * replica, .multiplicity = replica});
}

void copy_model(const TrainingConfig& c, const machine::ClusterSpec& cluster, RankLayout& out) {
  ECHO_EXPECT(out.copies == 1);
  const auto chunks = static_cast<std::int32_t>(out.chunk_layers.size());
  for (std::int32_t i = 0; i < chunks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.chunk_layers.push_back(out.chunk_layers[at]);
    out.chunk_first_layer.push_back(out.chunk_first_layer[at]);
    for (std::size_t kind = 0; kind < out.chunk_kinds.row(i).size(); ++kind) {
      const LayerCount like = out.chunk_kinds.row(i)[kind];
      out.chunk_kinds.push(like);
    }
    out.chunk_kinds.close_row();
    out.stage_of_chunk.push_back(c.degrees.pipeline - 1 - out.stage_of_chunk[at]);
  }
  out.copies = 2;
  const std::int32_t replica = c.degrees.tensor * c.degrees.context * c.degrees.data;
  for (std::int32_t stage = 0; stage < c.degrees.pipeline; ++stage) {
    const std::int32_t apart = std::abs(c.degrees.pipeline - 1 - 2 * stage);
    out.mirrors.push_back(span_of(2, std::max(1, apart) * replica, domain_of(cluster), gpus_of(c.degrees)));
  }
}

}  // namespace echo::training
