// Gradients are sent in the order they become ready whenever a bucket is full; weights are gathered bucket
// by bucket as the forward needs them. Experts' buckets go over a group of their own. Source: Megatron-LM
// core/distributed/{distributed_data_parallel,param_and_grad_buffer}.py.
#include "workload/traffic/bucketed_chunk.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/at.hpp"
#include "training/layout/multi_token.hpp"
#include "workload/layer/multi_token.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/traffic/activation_offload.hpp"
#include "workload/traffic/step_tail.hpp"

namespace echo::workload {

namespace {

using training::LayerKind;
using training::WeightKind;

// Parameters of one bucket of gradients or gathered weights.
std::int64_t bucket_size(const BlockContext& x) {
  return std::max<std::int64_t>(x.framework.bucket_parameters,
                                x.framework.bucket_per_rank * x.layout.data_context.ranks);
}

// Collects gradients in the order they become ready and sends a bucket whenever it is full.
class Buckets {
 public:
  explicit Buckets(const BlockContext& x) : x_(x), size_(bucket_size(x)) {}

  static void add(void* self, Builder& b, WeightKind weights, std::int64_t parameters, OpId done) {
    auto& me = *static_cast<Buckets*>(self);
    Bucket& bucket = me.open_[at(weights)];
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
    OpId last = OpId::none();
  };
  void send(Builder& b, WeightKind weights) {
    Bucket& bucket = open_[at(weights)];
    if (bucket.filled > 0) reduce_gradients(b, x_, weights, bucket.filled, bucket.last);
    bucket.filled = 0;
  }
  const BlockContext& x_;
  std::int64_t size_;
  std::array<Bucket, 2> open_;  // [WeightKind]
};

// Norms and similar weights, whose gradients come at the end of their layer's backward.
std::int64_t vector_parameters(const BlockContext& x, LayerKind kind) {
  if (x.is_frozen()) return 0;
  const training::ModelSpec& m = x.model;
  std::int64_t rest = training::replicated_layer_parameters(m, kind);
  if (kind.mixes_experts()) rest -= training::router_parameters(m);
  if (kind.has_attention() && m.has_latent_attention())
    rest -= training::latent_down_parameters(m) - m.latent.query_rank - m.latent.key_value_rank;
  if (kind.mixer == training::Mixer::mamba)
    rest += training::mamba_vector_parameters(m) / x.config.degrees.tensor;
  return rest;
}

// Gathers parameters bucket by bucket, experts' separately from the others, as the forward needs them.
class Gathers {
 public:
  Gathers(Builder& b, const BlockContext& x, const ChunkContents& chunk, Gather gather)
      : b_(b), x_(x), bucket_(bucket_size(x)) {
    if (gather == Gather::no) return;
    of_[0] = {.all = chunk.trained.dense, .in_8_bit = chunk.in_8_bit.dense};
    of_[1] = {.all = chunk.trained.expert, .in_8_bit = chunk.in_8_bit.expert};
  }
  // The gather that brings the last of `more` weights, or none where none has to come.
  OpId need(const training::RankParameters& more) {
    const OpId dense = need(WeightKind::dense, more.dense);
    return std::max(dense, need(WeightKind::expert, more.expert));
  }

 private:
  struct Progress {
    std::int64_t all = 0, in_8_bit = 0, needed = 0, gathered = 0;
    OpId arrived = OpId::none();
    // Counts weights among the first `count`; weights of both widths are evenly mixed.
    [[nodiscard]] std::int64_t first_in_8_bit(std::int64_t count) const {
      return std::llround(static_cast<double>(in_8_bit) * static_cast<double>(count) /
                          static_cast<double>(all));
    }
  };
  OpId need(WeightKind weights, std::int64_t more) {
    Progress& p = of_[at(weights)];
    p.needed += more;
    while (copies_of(x_, weights).ranks > 1 && p.gathered < p.needed && p.gathered < p.all) {
      const std::int64_t next = std::min(bucket_, p.all - p.gathered);
      const std::int64_t narrow = p.first_in_8_bit(p.gathered + next) - p.first_in_8_bit(p.gathered);
      p.arrived = b_.communicate(Lane::data, TimeCategory::zero_comm,
                                 parameter_gather(x_, weights, next, narrow), {});
      p.gathered += next;
    }
    return p.arrived;
  }
  Builder& b_;
  const BlockContext& x_;
  std::int64_t bucket_;
  std::array<Progress, 2> of_;  // [WeightKind]
};

void forward_of_layer(Builder& b, const BlockContext& x, LayerKind kind, OpId arrived,
                      const PassBlocks* traced) {
  if (traced != nullptr) {
    const OpGraph& layer = b.graph_of(traced->layer_forward[kind.index()]);
    if (can_be_copied(b, layer)) return copy_layer(b, layer, arrived);
  }
  layer_forward(b, x, kind, TimeCategory::forward, arrived);
}

// The backward of layer `i` of a chunk. Layers whose body splits its backwards were not traced as they run
// here, whole.
void backward_of_layer(Builder& b, const BlockContext& x, LayerKind kind, std::int32_t i,
                       const GradientReady& ready, const PassBlocks* traced) {
  const training::Recompute recompute = recompute_of(x.config, i);
  if (traced != nullptr) {
    const bool usual = recompute == x.config.recompute;
    const BlockId layer = (usual ? traced->layer_backward : traced->kept_backward)[kind.index()];
    const LayerGradients& all = usual ? traced->layer_gradients : traced->kept_gradients;
    const GradientNotes& gradients = all[kind.index()];
    if (!layer.is_none() && can_be_copied(b.graph_of(layer), gradients))
      return copy_layer(b, b.graph_of(layer), gradients, ready);
  }
  layer_backward(b, x, kind, recompute, ready);
}

}  // namespace

BlockId bucketed_forward(Builder& b, const BlockContext& x, const ChunkContents& chunk, Gather gather,
                         const PassBlocks* traced) {
  const BlockId block = b.open_block();
  Gathers gathers(b, x, chunk, gather);
  ActivationOffload offload(b, x, chunk);
  const std::int64_t table = x.is_frozen() ? 0 : x.vocabulary / x.config.degrees.tensor * x.model.hidden;
  if (chunk.first) embedding_forward(b, x, gathers.need({.dense = table}));
  for (std::int32_t i = 0; i < chunk.layers; ++i) {
    const LayerKind kind = training::layer_kind(x.model, chunk.first_layer + i);
    const OpId arrived = gathers.need(training::trained_layer_parameters(x.config, x.model, kind));
    forward_of_layer(b, x, kind, arrived, traced);
    offload.after_forward(i);
  }
  if (!chunk.last) return block;
  const OpId arrived = gathers.need(chunk.trained);
  for (std::int32_t depth = 0; depth < x.config.recipe.mtp_layers; ++depth)
    multi_token_forward(b, x, arrived);
  head_forward(b, x, arrived);
  return block;
}

BlockId bucketed_backward(Builder& b, const BlockContext& given, const ChunkContents& chunk, Reduce reduce,
                          const PassBlocks* traced) {
  const BlockId block = b.open_block();
  BlockContext x = given;
  x.splits_backward = false;  // gradients leave as they come, input and weight gradients alike
  Buckets buckets(x);
  const GradientReady ready =
      reduce == Reduce::yes ? GradientReady{&Buckets::add, &buckets} : GradientReady{};
  ActivationOffload offload(b, x, chunk);
  const std::int32_t depths = chunk.last ? x.config.recipe.mtp_layers : 0;
  if (chunk.last) {
    head_backward(b, x, depths == 0 ? ready : GradientReady{});
    if (!x.is_frozen())
      ready(b, WeightKind::dense,
            training::final_norm_parameters(x.model) +
                training::head_bias_parameters(x.config, x.model, x.vocabulary),
            b.last_compute());
  }
  for (std::int32_t depth = depths; depth-- > 0;) {
    const bool is_last = depth == 0;
    multi_token_backward(
        b, x, ready,
        {.head = is_last, .embedding = is_last && training::copies_embedding(x.config, x.model)});
    ready(b, WeightKind::dense,
          vector_parameters(x, training::multi_token_layer_kind(x.model)) +
              training::multi_token_norm_parameters(x.model),
          b.last_compute());
  }
  for (std::int32_t i = chunk.layers - 1; i >= 0; --i) {
    const LayerKind kind = training::layer_kind(x.model, chunk.first_layer + i);
    offload.before_backward(i);
    backward_of_layer(b, x, kind, i, ready, given.splits_backward ? nullptr : traced);
    ready(b, WeightKind::dense, vector_parameters(x, kind), b.last_compute());
  }
  if (chunk.first) embedding_backward(b, x, ready);
  buckets.send_rest(b);
  return block;
}

}  // namespace echo::workload
