// Chunks of the model become runs of a few distinct blocks: embedding, transformer layer, head, forward and
// backward. Only the first forward (parameter gathers) and the last backward (gradient buckets) of a chunk
// are blocks of their own when data-parallel traffic overlaps them, because that traffic crosses layer
// borders.
#include "workload/generate_workload.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "training/layout/multi_token.hpp"
#include "training/memory/memory.hpp"
#include "workload/body.hpp"
#include "workload/layer/pair.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/layer/transformer.hpp"
#include "workload/traffic/bucketed_chunk.hpp"
#include "workload/traffic/data_traffic.hpp"
#include "workload/traffic/sharded_chunk.hpp"
#include "workload/traffic/step_tail.hpp"

namespace echo::workload {

namespace {

void trace_hops(Builder& b, const BlockContext& x, const machine::ClusterSpec& cluster, Workload& out) {
  const training::TrainingConfig& c = x.config;
  if (c.degrees.pipeline == 1) return;
  const bool shared = c.sequence_parallel && c.degrees.tensor > 1;
  const bool scattered = !shared && c.recipe.scatter_gather && c.degrees.tensor > 1;
  const std::int64_t whole = std::int64_t{c.batch.sequence_tokens / c.degrees.context} *
                             c.batch.micro_samples * x.model.hidden * machine::element_bytes(c.precision);
  const std::int32_t domain = std::max(cluster.gpus_per_node, cluster.scale_up_domain);
  ops::CollectiveQuery hop{.kind = ops::CollectiveKind::send_recv,
                           .payload = Bytes(shared || scattered ? whole / c.degrees.tensor : whole)};
  hop.group = {.ranks = 2, .nodes = 1, .ranks_per_node = 2, .stride = x.layout.pipeline.stride};
  out.hop_within = hop;
  hop.group.nodes = 2;
  hop.group.ranks_per_node = 1;
  hop.group.sharing = std::min(domain, x.layout.pipeline.stride);
  hop.group.extent = x.layout.pipeline.extent;
  out.hop_across = hop;
  if (scattered)
    out.hop_gather = Builder::unfinished(b.intern(
        {.kind = ops::CollectiveKind::all_gather, .payload = Bytes(whole), .group = x.layout.tensor}));
}

// The layers of a chunk, equal ones together: blocks follow each other without overlap, so their order does
// not matter.
void push_layers(const LayerBlocks& of, std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  for (const training::LayerCount& like : layers) out.push({of[like.kind.index()], like.count});
}

void push_depths(BlockId block, const BlockContext& x, Csr<BlockRun>& out) {
  if (!block.is_none()) out.push({block, x.config.recipe.mtp_layers});
}

void push_forward(const PassBlocks& blocks, const BlockContext& x, const ChunkContents& chunk,
                  std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  if (chunk.first) out.push({blocks.embedding_forward, 1});
  push_layers(blocks.layer_forward, layers, out);
  if (chunk.last) push_depths(blocks.multi_token_forward, x, out);
  if (chunk.last) out.push({blocks.head_forward, 1});
}

// A stretch of layers of a chunk.
void push_stretch(const LayerBlocks& of, const BlockContext& x, std::int32_t first, std::int32_t count,
                  Csr<BlockRun>& out) {
  const training::LayerKindCounts layers = training::count_layer_kinds(x.model, first, count);
  for (std::size_t kind = 0; kind < layers.size(); ++kind)
    if (layers[kind] > 0) out.push({of[kind], layers[kind]});
}

void push_backward(const PassBlocks& blocks, const BlockContext& x, const ChunkContents& chunk,
                   std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  if (chunk.last) out.push({blocks.head_backward, 1});
  if (chunk.last) push_depths(blocks.multi_token_backward, x, out);
  if (const std::int32_t recomputed = recomputed_layers(x.config, chunk.layers); recomputed < chunk.layers) {
    push_stretch(blocks.kept_backward, x, chunk.first_layer + recomputed, chunk.layers - recomputed, out);
    push_stretch(blocks.layer_backward, x, chunk.first_layer, recomputed, out);
  } else {
    push_layers(blocks.layer_backward, layers, out);
  }
  if (chunk.first) out.push({blocks.embedding_backward, 1});
}

void push_weight_gradients(const PassBlocks& blocks, const BlockContext& x, const ChunkContents& chunk,
                           std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  if (chunk.last) out.push({blocks.head_weights, 1});
  if (chunk.last) push_depths(blocks.multi_token_weights, x, out);
  push_layers(blocks.layer_weights, layers, out);
}

// Without counts of parameters.
ChunkContents layers_of(const BlockContext& x, ChunkId id) {
  return {.layers = x.layout.chunk_layers[at(id)],
          .first_layer = x.layout.chunk_first_layer[at(id)],
          .first = x.layout.opens_model(at(id)),
          .last = x.layout.closes_model(at(id))};
}

ChunkContents contents_of(const BlockContext& x, ChunkId id) {
  const std::int32_t chunk = id.index();
  ChunkContents contents = layers_of(x, id);
  contents.parameters = training::chunk_parameters(x.config, x.model, x.framework, x.layout, chunk);
  contents.trained = training::trained_chunk_parameters(x.config, x.model, x.framework, x.layout, chunk);
  contents.in_8_bit = chunk_in_8_bit(x, chunk);
  return contents;
}

// Generates split backwards, besides whole ones.
void trace_split_backwards(Builder& b, const BlockContext& given, Workload& out) {
  BlockContext x = given;
  x.splits_backward = true;
  PassBlocks blocks;
  trace_passes(b, x, blocks);
  out.weight_gradients.clear();
  for (const ChunkId id : ids<ChunkId>(length_of(x.layout.chunk_layers))) {
    const auto layers = x.layout.chunk_kinds.row(id);
    const ChunkContents chunk = layers_of(x, id);
    push_backward(blocks, x, chunk, layers, out.input_gradients);
    out.input_gradients.close_row();
    push_weight_gradients(blocks, x, chunk, layers, out.weight_gradients);
    out.weight_gradients.close_row();
  }
}

// Generates backwards through the last chunk that leave the weight gradients of the output layer, and nothing
// else, to a task of their own. Its sums wait with the others of the step, and so does the gather of the
// inputs. Source: Megatron-LM core/tensor_parallel/layers.py, core/utils.py (drain_embedding_wgrad_compute).
void trace_deferred_wgrads(Builder& b, const BlockContext& given, const PassBlocks& blocks, Workload& out) {
  BlockContext x = given;
  x.splits_backward = true;
  PassBlocks split = blocks;
  split.head_backward = b.open_block();
  head_backward(b, x);
  split.head_weights = b.open_block();
  head_weight_gradients(b, x);
  out.weight_gradients.clear();
  for (const ChunkId id : ids<ChunkId>(length_of(x.layout.chunk_layers))) {
    const ChunkContents chunk = layers_of(x, id);
    push_backward(split, x, chunk, x.layout.chunk_kinds.row(id), out.input_gradients);
    out.input_gradients.close_row();
    if (chunk.last) out.weight_gradients.push({split.head_weights, 1});
    out.weight_gradients.close_row();
  }
}

// Passes whose traffic crosses the borders of layers are blocks of their own; a chunk shares those of its
// twin.
void trace_whole_passes(Builder& b, const BlockContext& x, const PassBlocks& blocks, const DataTraffic& t,
                        const ChunkContents& chunk, ChunkId twin, Workload& out) {
  const auto add = [&](std::vector<BlockId>& of, bool wanted, auto trace) {
    of.push_back(!wanted ? BlockId::none() : !twin.is_none() ? of[at(twin)] : trace());
  };
  const auto forward = [&](Gather gather) {
    return t.in_units ? sharded_forward(b, x, chunk, gather) : bucketed_forward(b, x, chunk, gather, &blocks);
  };
  const auto backward = [&](Reduce reduce) {
    const Gather gather = t.gathers_backward ? Gather::yes : Gather::no;
    return t.in_units ? sharded_backward(b, x, chunk, gather, reduce)
                      : bucketed_backward(b, x, chunk, reduce, &blocks);
  };
  const bool every = t.in_units || x.config.recipe.offload_layers > 0, scatters = t.reduces_each;
  add(out.whole_forward, every, [&] { return forward(t.gathers_forward ? Gather::yes : Gather::no); });
  add(out.first_forward, t.gathers_buckets || (t.in_units && !t.gathers_forward),
      [&] { return forward(Gather::yes); });
  add(out.whole_backward, every || scatters, [&] { return backward(scatters ? Reduce::yes : Reduce::no); });
  if (scatters)
    out.last_backward.push_back(out.whole_backward.back());
  else
    add(out.last_backward, t.reduces_last, [&] { return backward(Reduce::yes); });
}

}  // namespace

static BlockContext context_of(const StepSource& step, const DataTraffic& traffic) {
  return {step.config,
          step.model,
          step.framework,
          step.layout,
          training::padded_vocabulary(step.config, step.model, step.framework),
          step.backward == Backward::split,
          step.compute_capability,
          training::busiest_load(step.config, step.model, step.layout),
          traffic.adds_each};
}

training::TrainingConfig config_of_work(training::TrainingConfig config) {
  config.overlap.pipeline = false;
  if (counts_microbatches(config)) return config;
  const std::int32_t microbatches = std::min(training::microbatches_of(config), 2);
  config.batch.global_samples = microbatches * config.degrees.data * config.batch.micro_samples;
  return config;
}

// Shards of gradients and of weights are part of every pass.
training::TrainingConfig config_of_body(training::TrainingConfig config) {
  if (config.zero > training::ZeroStage::optimizer) return config;
  config.zero = training::ZeroStage::none;
  config.overlap.grad_reduce = false;
  config.recipe.offload_optimizer = false;
  return config;
}

void generate_body(const StepSource& given, Workload& out, Body& body) {
  const training::TrainingConfig config = config_of_body(given.config);
  const StepSource step{config,       given.model,    given.framework,         given.cluster,
                        given.layout, given.backward, given.compute_capability};
  Builder b(out);
  body.block_count = body.kernels = body.collectives = body.kernels_before = 0;
  b.resume(body);
  trace_passes(b, context_of(step, DataTraffic(config, given.layout)), body.blocks);
  body.block_count = out.block_count;
  body.kernels = length_of(out.kernels), body.collectives = length_of(out.collectives);
}

void generate_ends(const StepSource& step, Body& body, Workload& out) {
  const training::TrainingConfig& config = step.config;
  const training::RankLayout& layout = step.layout;
  const DataTraffic traffic(config, layout);
  const BlockContext x = context_of(step, traffic);
  const PassBlocks& blocks = body.blocks;
  Builder b(out);
  b.resume(body);
  out.backwards = step.backward;
  out.gathers_each = traffic.gathers_forward;
  out.gathers_once = traffic.in_units && !traffic.gathers_forward;

  ChunkContents chunk;
  ChunkId shown;  // the chunk whose contents these are, or its twin
  for (const ChunkId id : ids<ChunkId>(length_of(layout.chunk_layers))) {
    const ChunkId first(layout.twin_of_chunk[at(id)]), twin = first == id ? ChunkId::none() : first;
    if (twin.is_none() || twin != shown)
      chunk = contents_of(x, id);
    else
      chunk.first_layer = layout.chunk_first_layer[at(id)];
    shown = twin.is_none() ? id : twin;
    trace_whole_passes(b, x, blocks, traffic, chunk, twin, out);
    if (!out.whole_forward.back().is_none())
      out.forward.push({out.whole_forward.back(), 1});
    else
      push_forward(blocks, x, chunk, layout.chunk_kinds.row(id), out.forward);
    out.forward.close_row();
    if (!out.whole_backward.back().is_none())
      out.backward.push({out.whole_backward.back(), 1});
    else
      push_backward(blocks, x, chunk, layout.chunk_kinds.row(id), out.backward);
    out.backward.close_row();
    if (x.splits_backward)
      push_weight_gradients(blocks, x, chunk, layout.chunk_kinds.row(id), out.weight_gradients);
    out.weight_gradients.close_row();
  }
  if (step.backward == Backward::both) {
    if (training::deferred_microbatches(config) > 0)
      trace_deferred_wgrads(b, x, blocks, out);
    else
      trace_split_backwards(b, x, out);
  }
  if (config.recipe.overlap_ep) trace_pairs(b, x, blocks.layer_forward, blocks.layer_backward, out);
  trace_step_tail(b, x, out);
  trace_hops(b, x, step.cluster, out);
  b.finish(body);
}

void generate_workload(const training::TrainingConfig& config, const training::ModelSpec& model,
                       const training::FrameworkSpec& framework, const machine::ClusterSpec& cluster,
                       const training::RankLayout& layout, Backward backward, Workload& out,
                       std::int32_t compute_capability) {
  const StepSource step{config, model, framework, cluster, layout, backward, compute_capability};
  Body body;
  generate_body(step, out, body);
  generate_ends(step, body, out);
}

}  // namespace echo::workload
