// Chunks of the model become runs of a few distinct blocks: embedding, transformer layer, head, forward and
// backward. Only the first forward (parameter gathers) and the last backward (gradient buckets) of a chunk
// are blocks of their own when data-parallel traffic overlaps them, because that traffic crosses layer
// borders.
#include "workload/trace_workload.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "training/memory.hpp"
#include "workload/pair.hpp"
#include "workload/sharded_chunk.hpp"
#include "workload/step_tail.hpp"
#include "workload/transformer.hpp"

namespace echo::workload {

namespace {

using training::LayerKind;
using training::WeightKind;

// Parameters of one bucket of gradients or gathered weights: max(40 M, 1 M * data ranks) in Megatron.
// Source: Megatron-LM core/distributed/distributed_data_parallel.py.
std::int64_t bucket_size(const BlockContext& x) {
  return std::max<std::int64_t>(x.framework.bucket_parameters, 1'000'000LL * x.layout.data_context.ranks);
}

// Collects gradients in the order they become ready and sends a bucket off whenever it is full.
// Source: Megatron-LM core/distributed/param_and_grad_buffer.py.
class Buckets {
 public:
  explicit Buckets(const BlockContext& x) : x_(x), size_(bucket_size(x)) {}

  static void add(void* self, Builder& b, WeightKind weights, std::int64_t parameters, OpIndex done) {
    auto& me = *static_cast<Buckets*>(self);
    Bucket& bucket = me.open_[static_cast<std::size_t>(weights)];
    bucket.filled += parameters;
    bucket.last = done;
    if (bucket.filled >= me.size_) me.send(b, weights);
  }
  void send_rest(Builder& b) {
    send(b, WeightKind::dense);
    send(b, WeightKind::expert);
  }

 private:
  struct Bucket {
    std::int64_t filled = 0;
    OpIndex last = -1;
  };
  void send(Builder& b, WeightKind weights) {
    Bucket& bucket = open_[static_cast<std::size_t>(weights)];
    if (bucket.filled > 0) reduce_gradients(b, x_, weights, bucket.filled, bucket.last);
    bucket.filled = 0;
  }
  const BlockContext& x_;
  std::int64_t size_;
  std::array<Bucket, 2> open_;  // [WeightKind]
};

// Norms and the like, whose gradients come with the end of their layer's backward.
std::int64_t vector_parameters(const BlockContext& x, LayerKind kind) {
  const training::ModelSpec& m = x.model;
  std::int64_t rest = training::replicated_layer_parameters(m, kind);
  if (kind.mixes_experts()) rest -= training::router_parameters(m);
  if (kind.has_attention() && m.has_latent_attention())
    rest -= training::latent_down_parameters(m) - m.latent.query_rank - m.latent.key_value_rank;
  if (kind.mixer == training::Mixer::mamba)
    rest += training::mamba_vector_parameters(m) / x.config.degrees.tensor;
  return rest;
}

// The whole backward of a chunk with its gradient buckets.
std::int32_t last_backward_block(Builder& b, const BlockContext& given, const ChunkContents& chunk) {
  const std::int32_t block = b.open_block();
  BlockContext x = given;
  x.splits_backward = false;  // gradients leave as they come, input and weight gradients alike
  Buckets buckets(x);
  const GradientReady ready{&Buckets::add, &buckets};
  if (chunk.last) head_backward(b, x, ready);
  for (std::int32_t i = chunk.layers - 1; i >= 0; --i) {
    const LayerKind kind = training::layer_kind(x.model, chunk.first_layer + i);
    layer_backward(b, x, kind, ready);
    ready(b, WeightKind::dense, vector_parameters(x, kind), b.last_compute());
  }
  if (chunk.first) embedding_backward(b, x, ready);
  buckets.send_rest(b);
  return block;
}

// Gathers parameters bucket by bucket, experts' apart from the others, as the forward comes to need them.
class Gathers {
 public:
  Gathers(Builder& b, const BlockContext& x, const training::RankParameters& all)
      : b_(b), x_(x), bucket_(bucket_size(x)) {
    of_[0].all = all.dense, of_[1].all = all.expert;
  }
  // The gather that brings the last of `more` weights, or -1 where none has to come.
  OpIndex need(const training::RankParameters& more) {
    const OpIndex dense = need(WeightKind::dense, more.dense);
    return std::max(dense, need(WeightKind::expert, more.expert));
  }

 private:
  struct Progress {
    std::int64_t all = 0, needed = 0, gathered = 0;
    OpIndex arrived = -1;
  };
  OpIndex need(WeightKind weights, std::int64_t more) {
    Progress& p = of_[static_cast<std::size_t>(weights)];
    p.needed += more;
    while (copies_of(x_, weights).ranks > 1 && p.gathered < p.needed && p.gathered < p.all) {
      const std::int64_t next = std::min(bucket_, p.all - p.gathered);
      p.arrived = b_.communicate(Lane::data, Part::zero_comm, parameter_gather(x_, weights, next), {});
      p.gathered += next;
    }
    return p.arrived;
  }
  Builder& b_;
  const BlockContext& x_;
  std::int64_t bucket_;
  std::array<Progress, 2> of_;  // [WeightKind]
};

// The whole forward of a chunk behind the gathers of its parameters, one gather per bucket.
std::int32_t first_forward_block(Builder& b, const BlockContext& x, const ChunkContents& chunk) {
  const std::int32_t block = b.open_block();
  Gathers gathers(b, x, chunk.parameters);
  const std::int64_t table = x.vocabulary / x.config.degrees.tensor * x.model.hidden;
  if (chunk.first) embedding_forward(b, x, gathers.need({.dense = table}));
  for (std::int32_t i = 0; i < chunk.layers; ++i) {
    const LayerKind kind = training::layer_kind(x.model, chunk.first_layer + i);
    const OpIndex arrived = gathers.need(training::layer_parameters_per_rank(x.config, x.model, kind));
    layer_forward(b, x, kind, Part::forward, arrived);
  }
  if (chunk.last) head_forward(b, x, gathers.need(chunk.parameters));
  return block;
}

void trace_hops(Builder& b, const BlockContext& x, const machine::ClusterSpec& cluster, Workload& out) {
  const training::TrainingConfig& c = x.config;
  if (c.degrees.pipeline == 1) return;
  const bool shared = c.sequence_parallel && c.degrees.tensor > 1;
  const bool scattered = !shared && c.recipe.scatter_gather && c.degrees.tensor > 1;
  const std::int64_t whole = std::int64_t{c.batch.sequence_tokens / c.degrees.context} *
                             c.batch.micro_samples * x.model.hidden * machine::element_bytes(c.precision);
  const std::int32_t domain = std::max(cluster.gpus_per_node, cluster.scale_up_domain);
  ops::CollectiveQuery hop{.kind = ops::CollectiveKind::send_recv,
                           .payload = Bytes(shared || scattered ? whole / c.degrees.tensor : whole),
                           .settings = c.comm};
  hop.group = {.ranks = 2, .nodes = 1, .ranks_per_node = 2, .stride = x.layout.pipeline.stride};
  out.hop_within = hop;
  hop.group.nodes = 2;
  hop.group.ranks_per_node = 1;
  hop.group.sharing = std::min(domain, x.layout.pipeline.stride);
  out.hop_across = hop;
  if (scattered)
    out.hop_gather = b.intern({.kind = ops::CollectiveKind::all_gather,
                               .payload = Bytes(whole),
                               .group = x.layout.tensor,
                               .settings = c.comm});
}

// Blocks every chunk's passes are runs of; -1 where the model has no such layer.
struct PassBlocks {
  std::int32_t embedding_forward = -1, head_forward = -1, head_backward = -1, embedding_backward = -1,
               head_weights = -1;
  LayerBlocks layer_forward, layer_backward, layer_weights;
};

PassBlocks trace_passes(Builder& b, const BlockContext& x) {
  PassBlocks blocks;
  const training::LayerKindCounts layers = training::count_layer_kinds(x.model, 0, x.model.layers);
  const auto each_kind = [&](LayerBlocks& of, auto trace) {
    of.fill(-1);
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (layers[i] == 0) continue;
      of[i] = b.open_block();
      trace(training::layer_kind_at(i));
    }
  };
  blocks.embedding_forward = b.open_block();
  embedding_forward(b, x);
  each_kind(blocks.layer_forward, [&](LayerKind kind) { layer_forward(b, x, kind, Part::forward); });
  blocks.head_forward = b.open_block();
  head_forward(b, x);
  blocks.head_backward = b.open_block();
  head_backward(b, x);
  each_kind(blocks.layer_backward, [&](LayerKind kind) { layer_backward(b, x, kind); });
  blocks.embedding_backward = b.open_block();
  embedding_backward(b, x);
  if (x.splits_backward) {
    each_kind(blocks.layer_weights, [&](LayerKind kind) { layer_weight_gradients(b, x, kind); });
    blocks.head_weights = b.open_block();
    head_weight_gradients(b, x);
  }
  return blocks;
}

// The layers of a chunk, like ones together: blocks follow each other without overlap, so their order is
// free.
void push_layers(const LayerBlocks& of, std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  for (const training::LayerCount& like : layers) out.push({of[like.kind.index()], like.count});
}

void push_forward(const PassBlocks& blocks, const ChunkContents& chunk,
                  std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  if (chunk.first) out.push({blocks.embedding_forward, 1});
  push_layers(blocks.layer_forward, layers, out);
  if (chunk.last) out.push({blocks.head_forward, 1});
}

void push_backward(const PassBlocks& blocks, const ChunkContents& chunk,
                   std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  if (chunk.last) out.push({blocks.head_backward, 1});
  push_layers(blocks.layer_backward, layers, out);
  if (chunk.first) out.push({blocks.embedding_backward, 1});
}

void push_weight_gradients(const PassBlocks& blocks, const ChunkContents& chunk,
                           std::span<const training::LayerCount> layers, Csr<BlockRun>& out) {
  if (chunk.last) out.push({blocks.head_weights, 1});
  push_layers(blocks.layer_weights, layers, out);
}

// An earlier chunk of the same contents in the same order, or -1: such chunks share their blocks.
std::int32_t twin_of(const BlockContext& x, std::int32_t chunk) {
  const training::RankLayout& layout = x.layout;
  const auto at = static_cast<std::size_t>(chunk);
  const auto same = [&](std::size_t other) {
    if (layout.opens_model(other) != layout.opens_model(at)) return false;
    if (layout.closes_model(other) != layout.closes_model(at)) return false;
    if (!std::ranges::equal(layout.chunk_kinds.row(static_cast<std::int32_t>(other)),
                            layout.chunk_kinds.row(chunk)))
      return false;
    for (std::int32_t i = 0; layout.chunk_kinds.row(chunk).size() > 1 && i < layout.chunk_layers[at]; ++i)
      if (training::layer_kind(x.model, layout.chunk_first_layer[other] + i) !=
          training::layer_kind(x.model, layout.chunk_first_layer[at] + i))
        return false;
    return true;
  };
  for (std::size_t other = 0; other < at; ++other)
    if (same(other)) return static_cast<std::int32_t>(other);
  return -1;
}

// Backwards split in two, beside those in one.
void trace_split_backwards(Builder& b, const BlockContext& given, Workload& out) {
  BlockContext x = given;
  x.splits_backward = true;
  const PassBlocks blocks = trace_passes(b, x);
  out.weight_gradients.clear();
  for (std::size_t at = 0; at < x.layout.chunk_layers.size(); ++at) {
    const auto layers = x.layout.chunk_kinds.row(static_cast<std::int32_t>(at));
    const ChunkContents chunk{.layers = x.layout.chunk_layers[at],
                              .first_layer = x.layout.chunk_first_layer[at],
                              .first = x.layout.opens_model(at),
                              .last = x.layout.closes_model(at)};
    push_backward(blocks, chunk, layers, out.input_gradients);
    out.input_gradients.close_row();
    push_weight_gradients(blocks, chunk, layers, out.weight_gradients);
    out.weight_gradients.close_row();
  }
}

}  // namespace

void trace_workload(const training::TrainingConfig& config, const training::ModelSpec& model,
                    const training::FrameworkSpec& framework, const machine::ClusterSpec& cluster,
                    const training::RankLayout& layout, Backward backward, Workload& out,
                    std::int32_t compute_capability) {
  const BlockContext x{config,
                       model,
                       framework,
                       layout,
                       training::padded_vocabulary(config, model, framework),
                       backward == Backward::split,
                       compute_capability};
  Builder b(out);
  b.start();

  const PassBlocks blocks = trace_passes(b, x);
  const bool replicated = layout.data_context.ranks > 1;
  const auto chunks = static_cast<std::int32_t>(layout.chunk_layers.size());
  // Full shards gather and scatter in every pass, sharded gradients scatter in every backward: whole-chunk
  // passes.
  const bool shards_weights = replicated && config.zero == training::ZeroStage::parameters;
  const bool shards_gradients = replicated && config.zero == training::ZeroStage::gradients;
  const bool reduces = replicated && !shards_weights && (config.overlap.grad_reduce || shards_gradients);
  const bool gathers = replicated && !shards_weights && config.overlap.param_gather &&
                       config.zero >= training::ZeroStage::optimizer;
  std::vector<std::int32_t>& whole_forward = out.whole_forward;
  whole_forward.clear();
  for (std::int32_t i = 0; i < chunks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const ChunkContents chunk{layout.chunk_layers[at], layout.chunk_first_layer[at], layout.opens_model(at),
                              layout.closes_model(at),
                              training::chunk_parameters(config, model, framework, layout, i)};
    const std::int32_t twin = twin_of(x, i);
    const auto shared_or = [&](const std::vector<std::int32_t>& of, bool wanted, auto make) {
      if (!wanted) return -1;
      return twin >= 0 ? of[static_cast<std::size_t>(twin)] : make(b, x, chunk);
    };
    whole_forward.push_back(shared_or(whole_forward, shards_weights, sharded_forward));
    out.first_forward.push_back(shared_or(out.first_forward, gathers, first_forward_block));
    out.last_backward.push_back(shards_weights ? shared_or(out.last_backward, true, sharded_backward)
                                               : shared_or(out.last_backward, reduces, last_backward_block));
    if (shards_weights)
      out.forward.push({whole_forward.back(), 1});
    else
      push_forward(blocks, chunk, layout.chunk_kinds.row(i), out.forward);
    out.forward.close_row();
    if (shards_weights || shards_gradients)
      out.backward.push({out.last_backward.back(), 1});
    else
      push_backward(blocks, chunk, layout.chunk_kinds.row(i), out.backward);
    out.backward.close_row();
    if (x.splits_backward)
      push_weight_gradients(blocks, chunk, layout.chunk_kinds.row(i), out.weight_gradients);
    out.weight_gradients.close_row();
  }
  if (backward == Backward::both) trace_split_backwards(b, x, out);
  if (config.recipe.overlap_ep) trace_pairs(b, x, blocks.layer_forward, blocks.layer_backward, out);
  trace_step_tail(b, x, out);
  trace_hops(b, x, cluster, out);
  b.finish();
}

}  // namespace echo::workload
