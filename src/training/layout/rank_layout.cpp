#include "training/layout/rank_layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "machine/placement.hpp"
#include "training/layout/chunk_twins.hpp"
#include "training/layout/placed_groups.hpp"

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

// Shapes of the groups of one job, wherever its ranks are.
struct Shapes {
  Placed placed;
  // Members `stride` apart.
  [[nodiscard]] machine::GroupSpan operator()(std::int32_t ranks, std::int32_t stride) const {
    return placed.slots.empty() ? span_of(ranks, stride, placed.domain, placed.gpus)
                                : placed_span(ranks, 1, ranks > 1 ? stride : 1, placed);
  }
};

Shapes shapes_of(const TrainingConfig& c, const machine::ClusterSpec& cluster, RankLayout& out) {
  const std::int32_t domain = domain_of(cluster), gpus = gpus_of(c.degrees);
  machine::place_ranks(c.fabric.placement, gpus, domain, static_cast<std::uint64_t>(c.fabric.placement_seed),
                       out.slots);
  return {{domain, cluster.gpus_per_node, gpus, out.slots, out.counts}};
}

// Layers of each chunk: as even as possible, with extra layers at the front; embedding and loss may count as
// one layer each.
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
  for (std::int32_t i = 0; i < chunks; ++i) out[at(i)] = slots / chunks + (i < slots % chunks);
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

// The second distribution of a stage's ranks, over the experts. `replicas`: the number of copies of the
// optimizer's states.
void lay_out_experts(const Degrees& d, std::int32_t replicas, const Shapes& shape, RankLayout& out) {
  const std::int32_t grid = d.expert * d.expert_tensor;
  const std::int32_t copies = d.tensor * d.context * d.data / grid, sharing = copies / replicas;
  out.expert = shape(d.expert, d.expert_tensor);
  const std::int32_t within = out.expert.ranks_per_node;
  if (shape.placed.slots.empty()) {
    out.expert_within = shape(within, d.expert_tensor);
    out.expert_across = shape(d.expert / within, d.expert_tensor * within);
  } else {  // by where they are, not by their numbers
    out.expert_within = {.ranks = within, .ranks_per_node = within, .stride = out.expert.stride};
    out.expert_across = out.expert;
    out.expert_across.ranks = out.expert.nodes;
    out.expert_across.ranks_per_node = 1;
    if (out.expert.nodes > 1) out.expert_across.sharing *= within;
  }
  out.expert_tensor = shape(d.expert_tensor, 1);
  out.expert_grid = shape(grid, 1);
  out.expert_data = shape(copies, grid);
  out.expert_shard = shape(sharing, grid);
  out.expert_replica = shape(copies / sharing, grid * sharing);
}

}  // namespace

static std::int32_t slot_of(const RankLayout& layout, std::int32_t rank) {
  return layout.slots.empty() ? rank : layout.slots[at(rank)];
}

void lay_out_ranks(const TrainingConfig& c, const ModelSpec& model, const machine::ClusterSpec& cluster,
                   const std::vector<std::int32_t>& layer_table, RankLayout& out) {
  const Degrees& d = c.degrees;
  const std::int32_t gpus = gpus_of(d);
  const std::int32_t domain = domain_of(cluster);
  const Shapes shape = shapes_of(c, cluster, out);
  const std::int32_t replica = d.tensor * d.context * d.data;  // gpu ranks of one stage

  out.tensor = shape(d.tensor, 1);
  out.context = shape(d.context, d.tensor);
  const std::int32_t inner = context_inner_ranks(c, cluster);
  out.context_inner = shape(inner, d.tensor);
  out.context_outer = shape(d.context / inner, d.tensor * inner);
  out.data = shape(d.data, d.tensor * d.context);
  out.data_context = shape(d.data * d.context, d.tensor);
  const std::int32_t copies = d.data * d.context;
  const std::int32_t sharing = c.zero_group > 0 ? std::min(c.zero_group, copies) : copies;
  out.shard = shape(sharing, d.tensor);
  out.replica = shape(copies / sharing, d.tensor * sharing);
  lay_out_experts(d, copies / sharing, shape, out);
  out.pipeline = shape(d.pipeline, replica);
  out.embedding = shape(std::min(d.pipeline, 2), (d.pipeline - 1) * replica);
  // Tensor and pipeline ranks of one replica: every node that holds any of them takes part.
  const std::int32_t per_node =
      std::min({d.tensor * d.pipeline, domain, std::max(d.tensor, domain / d.data)});
  out.model = machine::GroupSpan{.ranks = d.tensor * d.pipeline, .ranks_per_node = per_node};
  out.model.nodes = (out.model.ranks + per_node - 1) / per_node;
  out.model.sharing = out.model.nodes > 1 ? std::max(1, std::min(domain, gpus) / per_node) : 1;

  if (!out.slots.empty()) out.model = placed_span(d.tensor * d.pipeline, d.tensor, replica, shape.placed);

  out.hop_crosses_nodes.assign(static_cast<std::size_t>(d.pipeline), false);
  for (std::int32_t stage = 0; stage < d.pipeline; ++stage) {
    const std::int32_t next = (stage + 1) % d.pipeline;
    bool crosses = false;  // the slowest pair of the boundary decides
    for (std::int32_t i = 0; i < replica && !crosses; i += out.slots.empty() ? d.tensor : 1)
      crosses = slot_of(out, stage * replica + i) / domain != slot_of(out, next * replica + i) / domain;
    out.hop_crosses_nodes[at(stage)] = crosses;
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
  find_chunk_twins(model, out);
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
    out.twin_of_chunk.push_back(out.twin_of_chunk[at]);
  }
  out.copies = 2;
  out.repeats_stage.assign(out.classes.size(), false);
  const Shapes shape = shapes_of(c, cluster, out);
  const std::int32_t replica = c.degrees.tensor * c.degrees.context * c.degrees.data;
  for (std::int32_t stage = 0; stage < c.degrees.pipeline; ++stage) {
    const std::int32_t apart = std::abs(c.degrees.pipeline - 1 - 2 * stage);
    out.mirrors.push_back(shape(2, std::max(1, apart) * replica));
  }
}

}  // namespace echo::training
