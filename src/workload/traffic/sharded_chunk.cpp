// Weights that come layer by layer: fully sharded data parallelism, weights that live in a memory tier, or
// both. One unit per transformer layer and a root unit for embedding, final norm and head.
//
// A unit's parameters are gathered before it runs and freed after; while a unit computes, the gathers of the
// `fsdp_prefetch` next ones are in progress (1: FSDP1 with limit_all_gathers and BACKWARD_PRE, and FSDP2 by
// default; more: set_modules_to_{forward,backward}_prefetch; 0: a gather starts when the unit before has
// ended), and a unit's gradients are reduce-scattered behind the next unit's backward. Gathers and scatters
// share one communicator and so one lane, in launch order; a unit's experts are gathered and scattered on
// their own, over the ranks that hold the same ones, unless those are the ranks of the rest. The root is
// gathered first, scattered last, and stays through both passes.
//
// Where kernels do not read weights from the gathered buffer they are copied out of it, and where products
// do not write gradients into the buffer that is scattered they are copied into it (and widened); both
// copies run on the compute stream.
//
// Weights of a tier arrive on the stream of copies, each rank's own shard, and are gathered from there
// (ZeRO-Infinity's bandwidth-centric partitioning, Rajbhandari et al. 2021, arXiv:2104.07857, section 6.1):
// a unit's copy begins where its gather would, and the gather when the copy has ended. Sources: Zhao et al.
// 2023 (PyTorch FSDP, arXiv:2304.11277, sections 3.3-3.4); PyTorch
// torch/distributed/fsdp/_fully_shard/{_fsdp_collectives,_fsdp_param_group}.py (split_with_sizes_copy,
// chunk_cat); torchtitan torchtitan/models/llama4/infra/parallelize.py (experts' own mesh). Neglected: copies
// of the shards themselves (a unit divided by its ranks), and that an embedding and a head may be units of
// their own.
#include "workload/traffic/sharded_chunk.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/traffic/activation_offload.hpp"
#include "workload/traffic/step_tail.hpp"
#include "workload/traffic/tier_copy.hpp"

namespace echo::workload {

namespace {

using training::LayerKind;
using training::RankParameters;
using training::WeightKind;

constexpr std::array weight_kinds{WeightKind::dense, WeightKind::expert};

// Experts of which every shard rank holds copies are transferred with the rest.
RankParameters as_sent(const BlockContext& x, const RankParameters& weights) {
  if (x.layout.expert_shard != x.layout.shard || x.layout.expert_data != x.layout.data_context)
    return weights;
  return {.dense = weights.total()};
}

// Layers in the order a pass runs them, and the weights of each.
class Layers {
 public:
  Layers(const BlockContext& x, const ChunkContents& chunk, bool backwards)
      : x_(x), chunk_(chunk), backwards_(backwards) {}
  [[nodiscard]] LayerKind kind(std::int32_t nth) const {
    const std::int32_t at = backwards_ ? chunk_.layers - 1 - nth : nth;
    return training::layer_kind(x_.model, chunk_.first_layer + at);
  }
  const RankParameters& unit(std::int32_t nth) { return look_up(kind(nth)), unit_; }
  const RankParameters& trained(std::int32_t nth) { return look_up(kind(nth)), trained_; }
  const RankParameters& in_8_bit(std::int32_t nth) { return look_up(kind(nth)), in_8_bit_; }
  // The weights that no layer holds.
  RankParameters root() { return rest_of(chunk_.parameters, &Layers::unit); }
  RankParameters trained_root() { return rest_of(chunk_.trained, &Layers::trained); }

 private:
  void look_up(LayerKind wanted) {
    if (known_ == wanted) return;
    unit_ = training::layer_parameters_per_rank(x_.config, x_.model, wanted);
    trained_ = training::trained_layer_parameters(x_.config, x_.model, wanted);
    in_8_bit_ = layer_in_8_bit(x_, wanted);
    known_ = wanted;
  }
  RankParameters rest_of(RankParameters all, const RankParameters& (Layers::*of)(std::int32_t)) {
    for (std::int32_t i = 0; i < chunk_.layers; ++i) {
      const RankParameters& layer = (this->*of)(i);
      all += {.dense = -layer.dense, .expert = -layer.expert};
    }
    return all;
  }
  const BlockContext& x_;
  const ChunkContents& chunk_;
  bool backwards_;
  std::optional<LayerKind> known_;  // whose weights the last ones were
  RankParameters unit_, trained_, in_8_bit_;
};

// Gathers of a pass, as far ahead of the layer that runs as the recipe asks.
class Gathers {
 public:
  Gathers(Builder& b, const BlockContext& x, Layers& layers, std::int32_t count, TimeCategory part)
      : b_(b), x_(x), layers_(layers), count_(count), part_(part), ahead_(x.config.recipe.fsdp_prefetch) {
    ECHO_EXPECT(ahead_ < static_cast<std::int32_t>(arrived_.size()));
  }
  OpId gather(const RankParameters& weights, const RankParameters& in_8_bit, OpId after) {
    const RankParameters sent = as_sent(x_, weights), narrow = as_sent(x_, in_8_bit);
    OpId arrived = OpId::none();
    for (const WeightKind kind : weight_kinds) {
      if (sent.of(kind) == 0) continue;
      const ops::CollectiveQuery all = parameter_gather(x_, kind, sent.of(kind), narrow.of(kind));
      OpId own = after;
      if (x_.config.recipe.offload_weights)
        arrived = own = b_.communicate(Lane::host, TimeCategory::other, fetch_of(all), {after});
      if (shares() && all.group.ranks > 1)
        arrived = b_.communicate(Lane::data, TimeCategory::zero_comm, all, {own});
    }
    return arrived;
  }
  // The next compute op finds the weights in place.
  void use(OpId arrived, const RankParameters& weights, const RankParameters& in_8_bit) {
    b_.hold_compute(arrived);
    if (arrived.is_none() || x_.framework.flat_shards || !shares()) return;
    const std::int64_t each = machine::element_bytes(x_.config.precision);
    b_.compute(part_, copy_of(2 * (weights.total() * each - in_8_bit.total() * (each - 1))));
  }
  // Issues the gathers of layers before `end`.
  void issue(std::int32_t end) {
    for (; issued_ < std::min(end, count_); ++issued_)
      slot(issued_) = gather(layers_.unit(issued_), layers_.in_8_bit(issued_), b_.last_compute());
  }
  void before_first_layer() { issue(ahead_); }
  void before_layer(std::int32_t nth) {
    issue(nth + ahead_ + 1);
    use(slot(nth), layers_.unit(nth), layers_.in_8_bit(nth));
  }

 private:
  // Whether other ranks hold parts of the weights.
  [[nodiscard]] bool shares() const { return x_.layout.data_context.ranks > 1; }
  // This rank's part of what is gathered, from the tier.
  [[nodiscard]] ops::CollectiveQuery fetch_of(const ops::CollectiveQuery& all) const {
    const std::int32_t ranks = shares() ? std::max(1, all.group.ranks) : 1;
    return tier_copy(x_, x_.config.recipe.weight_tier, Access::read, all.payload.value / ranks);
  }
  OpId& slot(std::int32_t nth) { return arrived_[at(nth) % arrived_.size()]; }
  Builder& b_;
  const BlockContext& x_;
  Layers& layers_;
  std::int32_t count_;
  TimeCategory part_;
  std::int32_t ahead_, issued_ = 0;
  std::array<OpId, 65> arrived_{};
};

void scatter(Builder& b, const BlockContext& x, const RankParameters& given) {
  if (given.total() == 0) return;
  const std::int64_t kept = x.adds_gradients ? gradient_bytes(x) : machine::element_bytes(x.config.precision);
  if (!x.config.recipe.fused_grad_accumulation)
    b.compute(TimeCategory::backward, copy_of(given.total() * (kept + gradient_bytes(x))));
  const RankParameters unit = as_sent(x, given);
  for (const WeightKind kind : weight_kinds)
    if (unit.of(kind) > 0) reduce_gradients(b, x, kind, unit.of(kind), b.last_compute());
}

}  // namespace

BlockId sharded_forward(Builder& b, const BlockContext& x, const ChunkContents& chunk, Gather gather) {
  const BlockId block = b.open_block();
  Layers layers(x, chunk, false);
  const RankParameters root = layers.root();
  Gathers gathers(b, x, layers, chunk.layers, TimeCategory::forward);
  ActivationOffload offload(b, x, chunk);
  OpId arrived = OpId::none();
  if (gather == Gather::yes) {
    arrived = gathers.gather(root, {}, OpId::none());
    gathers.before_first_layer();
  }
  if (chunk.first) {
    gathers.use(arrived, root, {});
    embedding_forward(b, x);
  }
  for (std::int32_t i = 0; i < chunk.layers; ++i) {
    if (gather == Gather::yes) gathers.before_layer(i);
    layer_forward(b, x, layers.kind(i), TimeCategory::forward);
    offload.after_forward(i);
  }
  if (chunk.last) {
    if (!chunk.first) gathers.use(arrived, root, {});
    head_forward(b, x);
  }
  return block;
}

BlockId sharded_backward(Builder& b, const BlockContext& x, const ChunkContents& chunk, Gather gather,
                         Reduce reduce) {
  const BlockId block = b.open_block();
  Layers layers(x, chunk, true);
  Gathers gathers(b, x, layers, chunk.layers, TimeCategory::backward);
  ActivationOffload offload(b, x, chunk);
  if (gather == Gather::yes) gathers.before_first_layer();
  if (chunk.last) head_backward(b, x);
  for (std::int32_t i = 0; i < chunk.layers; ++i) {
    if (gather == Gather::yes) gathers.before_layer(i);
    offload.before_backward(chunk.layers - 1 - i);
    layer_backward(b, x, layers.kind(i), recompute_of(x.config, chunk.layers - 1 - i));
    if (reduce == Reduce::yes) scatter(b, x, layers.trained(i));
  }
  if (chunk.first) embedding_backward(b, x);
  if (reduce == Reduce::yes) scatter(b, x, layers.trained_root());
  return block;
}

}  // namespace echo::workload
