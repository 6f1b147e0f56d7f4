// Chunks of the model become runs of a few distinct blocks: embedding, transformer layer, head, forward and
// backward. Only the first forward (parameter gathers) and the last backward (gradient buckets) of a chunk
// are blocks of their own when data-parallel traffic overlaps them, because that traffic crosses layer
// borders.
#include "workload/trace_workload.hpp"

#include <algorithm>

#include "training/memory.hpp"
#include "workload/sharded_chunk.hpp"
#include "workload/step_tail.hpp"
#include "workload/transformer.hpp"

namespace echo::workload {

namespace {

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

  static void add(void* self, Builder& b, std::int64_t parameters, OpIndex done) {
    auto& me = *static_cast<Buckets*>(self);
    me.filled_ += parameters;
    me.last_ = done;
    if (me.filled_ >= me.size_) me.send(b);
  }
  void send(Builder& b) {
    if (filled_ > 0) reduce_gradients(b, x_, filled_, last_);
    filled_ = 0;
  }

 private:
  const BlockContext& x_;
  std::int64_t size_, filled_ = 0;
  OpIndex last_ = -1;
};

// The whole backward of a chunk with its gradient buckets.
std::int32_t last_backward_block(Builder& b, const BlockContext& given, const ChunkContents& chunk) {
  const std::int32_t block = b.open_block();
  BlockContext x = given;
  x.splits_backward = false;  // gradients leave as they come, input and weight gradients alike
  Buckets buckets(x);
  const GradientReady ready{&Buckets::add, &buckets};
  const std::int64_t vectors = training::replicated_layer_parameters(x.model);
  if (chunk.last) head_backward(b, x, ready);
  for (std::int32_t i = 0; i < chunk.layers; ++i) {
    layer_backward(b, x, ready);
    ready(b, vectors, b.last_compute());
  }
  if (chunk.first) embedding_backward(b, x, ready);
  buckets.send(b);
  return block;
}

// The whole forward of a chunk behind the gathers of its parameters, one gather per bucket.
std::int32_t first_forward_block(Builder& b, const BlockContext& x, const ChunkContents& chunk) {
  const std::int32_t block = b.open_block();
  const std::int64_t bucket = bucket_size(x);
  const std::int64_t per_layer = training::layer_parameters_per_rank(x.config, x.model);
  std::int64_t gathered = 0, needed = 0;
  OpIndex arrived = -1;
  const auto need = [&](std::int64_t parameters) {
    needed += parameters;
    while (gathered < needed && gathered < chunk.parameters) {
      const std::int64_t next = std::min(bucket, chunk.parameters - gathered);
      arrived = b.communicate(Lane::data, Part::zero_comm, parameter_gather(x, next), {});
      gathered += next;
    }
    return arrived;
  };
  const std::int64_t table = x.vocabulary / x.config.degrees.tensor * x.model.hidden;
  if (chunk.first) embedding_forward(b, x, need(table));
  for (std::int32_t i = 0; i < chunk.layers; ++i) layer_forward(b, x, Part::forward, need(per_layer));
  if (chunk.last) head_forward(b, x, need(chunk.parameters));
  return block;
}

void trace_hops(Builder& b, const BlockContext& x, const machine::ClusterSpec& cluster, Workload& out) {
  const training::TrainingConfig& c = x.config;
  if (c.degrees.pipeline == 1) return;
  const bool shared = c.sequence_parallel && c.degrees.tensor > 1;
  const bool scattered = !shared && x.framework.scatter_gather && c.degrees.tensor > 1;
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

}  // namespace

void trace_workload(const training::TrainingConfig& config, const training::ModelSpec& model,
                    const training::FrameworkSpec& framework, const machine::ClusterSpec& cluster,
                    const training::RankLayout& layout, Backward backward, Workload& out) {
  const BlockContext x{config,
                       model,
                       framework,
                       layout,
                       training::padded_vocabulary(config, model, framework),
                       backward == Backward::split};
  Builder b(out);
  b.start();

  const std::int32_t embedding_ahead = b.open_block();
  embedding_forward(b, x);
  const std::int32_t layer_ahead = b.open_block();
  layer_forward(b, x, Part::forward);
  const std::int32_t head_ahead = b.open_block();
  head_forward(b, x);
  const std::int32_t head_back = b.open_block();
  head_backward(b, x);
  const std::int32_t layer_back = b.open_block();
  layer_backward(b, x);
  const std::int32_t embedding_back = b.open_block();
  embedding_backward(b, x);
  std::int32_t layer_weights = -1, head_weights = -1;
  if (x.splits_backward) {
    layer_weights = b.open_block();
    layer_weight_gradients(b, x);
    head_weights = b.open_block();
    head_weight_gradients(b, x);
  }

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
    const ChunkContents chunk{layout.chunk_layers[static_cast<std::size_t>(i)], i == 0, i == chunks - 1,
                              training::chunk_parameters(config, model, framework, layout, i)};
    // Inner chunks of equal depth share their blocks.
    std::int32_t twin = -1;
    for (std::int32_t j = 1; j < i && twin < 0 && !chunk.last; ++j)
      if (layout.chunk_layers[static_cast<std::size_t>(j)] == chunk.layers) twin = j;
    const auto shared_or = [&](const std::vector<std::int32_t>& of, bool wanted, auto make) {
      if (!wanted) return -1;
      return twin >= 0 ? of[static_cast<std::size_t>(twin)] : make(b, x, chunk);
    };
    whole_forward.push_back(shared_or(whole_forward, shards_weights, sharded_forward));
    out.first_forward.push_back(shared_or(out.first_forward, gathers, first_forward_block));
    out.last_backward.push_back(shards_weights ? shared_or(out.last_backward, true, sharded_backward)
                                               : shared_or(out.last_backward, reduces, last_backward_block));
    if (shards_weights) {
      out.forward.push({whole_forward.back(), 1});
    } else {
      if (chunk.first) out.forward.push({embedding_ahead, 1});
      if (chunk.layers > 0) out.forward.push({layer_ahead, chunk.layers});
      if (chunk.last) out.forward.push({head_ahead, 1});
    }
    out.forward.close_row();
    if (shards_weights || shards_gradients) {
      out.backward.push({out.last_backward.back(), 1});
    } else {
      if (chunk.last) out.backward.push({head_back, 1});
      if (chunk.layers > 0) out.backward.push({layer_back, chunk.layers});
      if (chunk.first) out.backward.push({embedding_back, 1});
    }
    out.backward.close_row();
    if (x.splits_backward) {
      if (chunk.last) out.weight_gradients.push({head_weights, 1});
      if (chunk.layers > 0) out.weight_gradients.push({layer_weights, chunk.layers});
    }
    out.weight_gradients.close_row();
  }
  trace_step_tail(b, x, out);
  trace_hops(b, x, cluster, out);
  b.finish();
}

}  // namespace echo::workload
