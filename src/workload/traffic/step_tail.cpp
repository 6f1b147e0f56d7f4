// The end of a step, in Megatron's order (core/distributed/finalize_model_grads.py,
// core/optimizer/optimizer.py): reduce gradients that were not sent during the backward, sum norm gradients
// of sequence-parallel ranks, sum the tied embedding between first and last stage, agree on the global
// gradient norm, update, gather updated parameters. Experts' gradients go over a group of their own
// (core/distributed/param_and_grad_buffer.py keeps them in buffers of their own).
//
// An update moves training::update_bytes per parameter; fp16 loss scales are first removed, and all ranks
// agree on whether one found a gradient that is not a number (core/optimizer/optimizer.py,
// _unscale_main_grads_and_check_for_nan). Then narrow formats: the weights of their products are cast once
// per step and kept; under delayed scales each pass of a chunk ends with the largest magnitudes that all its
// ranks agree on and a kernel that makes scales of them (Transformer Engine pytorch/quantization.py,
// reduce_and_update_fp8_tensors; Megatron-LM parallel_state.py, get_amax_reduction_group).
#include "workload/traffic/step_tail.hpp"

#include <algorithm>
#include <cmath>

#include "base/at.hpp"
#include "training/layout/chunk_twins.hpp"
#include "training/layout/multi_token.hpp"
#include "training/layout/weight_tensors.hpp"
#include "training/memory/memory.hpp"
#include "training/memory/number_formats.hpp"
#include "workload/layer/casts.hpp"
#include "workload/traffic/data_traffic.hpp"
#include "workload/traffic/owned_tensors.hpp"
#include "workload/traffic/stages_alike.hpp"
#include "workload/traffic/tier_copy.hpp"
#include "workload/traffic/update_legs.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::KernelKey;
using ops::KernelKind;
using training::WeightKind;

// A kernel over more items than fit in 32 bits is the same kernel over a batch of slabs.
KernelKey over_items(KernelKind kind, std::int64_t items, std::int32_t n) {
  items = std::max<std::int64_t>(1, items);
  constexpr std::int64_t slab = std::int64_t{1} << 30;
  KernelKey key;
  key.kind = kind;
  key.batch = static_cast<std::int32_t>((items + slab - 1) / slab);
  key.m = static_cast<std::int32_t>(items / key.batch);
  key.n = n;
  return key;
}

KernelKey over_parameters(const BlockContext& x, KernelKind kind, std::int64_t parameters,
                          std::int32_t bytes_each) {
  KernelKey key = over_items(kind, parameters, bytes_each);
  key.precision = machine::Precision::fp32;
  key.style = x.config.recipe.kernels;
  return key;
}

}  // namespace

std::int64_t gradient_bytes(const BlockContext& x) {
  return x.config.recipe.fp32_gradients ? 4 : machine::element_bytes(x.config.precision);
}

TimeCategory data_part(const BlockContext& x) {
  return x.config.zero == training::ZeroStage::none ? TimeCategory::dp_comm : TimeCategory::zero_comm;
}

const machine::GroupSpan& copies_of(const BlockContext& x, WeightKind kind) {
  return kind == WeightKind::dense ? x.layout.data_context : x.layout.expert_data;
}

const machine::GroupSpan& shards_of(const BlockContext& x, WeightKind kind) {
  return kind == WeightKind::dense ? x.layout.shard : x.layout.expert_shard;
}

static const machine::GroupSpan& replicas_of(const BlockContext& x, WeightKind kind) {
  return kind == WeightKind::dense ? x.layout.replica : x.layout.expert_replica;
}

// Sums go to every rank of the data group, not only to those that keep states of them.
static bool sums_everywhere(const BlockContext& x) {
  return x.config.zero == training::ZeroStage::none ||
         (x.config.zero < training::ZeroStage::parameters &&
          x.framework.gradient_exchange == training::GradientExchange::all_reduce);
}

static bool sums_over_replicas(const BlockContext& x, WeightKind weights) {
  return !sums_everywhere(x) && replicas_of(x, weights).ranks > 1;
}

ops::CollectiveQuery gradient_reduction(const BlockContext& x, WeightKind weights, std::int64_t parameters) {
  const bool to_owners = x.config.zero < training::ZeroStage::parameters &&
                         x.framework.gradient_exchange == training::GradientExchange::reduce;
  const auto kind = sums_everywhere(x) ? CollectiveKind::all_reduce
                    : to_owners        ? CollectiveKind::reduce
                                       : CollectiveKind::reduce_scatter;
  return {.kind = kind,
          .payload = Bytes(parameters * gradient_bytes(x)),
          .group = kind == CollectiveKind::all_reduce ? copies_of(x, weights) : shards_of(x, weights)};
}

ops::CollectiveQuery replica_reduction(const BlockContext& x, WeightKind weights, std::int64_t parameters) {
  return {.kind = CollectiveKind::all_reduce,
          .payload = Bytes(parameters * gradient_bytes(x) / shards_of(x, weights).ranks),
          .group = replicas_of(x, weights)};
}

// Where gradients have no common buffer, a bucket is copied together before its sum and apart after it
// (InternEvo internlm/solver/optimizer/store.py, TensorBucket).
static bool copies_gradients(const BlockContext& x) {
  return x.config.zero < training::ZeroStage::parameters &&
         x.framework.gradient_exchange == training::GradientExchange::all_reduce &&
         x.framework.gradients == training::GradientStore::partitioned;
}

void reduce_gradients(Builder& b, const BlockContext& x, WeightKind weights, std::int64_t parameters,
                      OpId done) {
  if (copies_of(x, weights).ranks == 1) return offload_gradients(b, x, weights, parameters, done);
  if (copies_gradients(x))
    done = b.compute(TimeCategory::backward, copy_of(4 * parameters * gradient_bytes(x)));
  OpId reduced = b.communicate(Lane::data, data_part(x), gradient_reduction(x, weights, parameters), {done});
  if (sums_over_replicas(x, weights))
    reduced = b.communicate(Lane::data, data_part(x), replica_reduction(x, weights, parameters), {reduced});
  // Sums that do not overlap are in line with the backward (Paddle's stage 2 waits for each).
  if (x.config.zero == training::ZeroStage::gradients && !x.config.overlap.grad_reduce)
    b.hold_compute(reduced);
  offload_gradients(b, x, weights, parameters, reduced);
}

// The number of `parameters` whose states this rank holds.
static std::int64_t own_share(const BlockContext& x, WeightKind weights, std::int64_t parameters) {
  return parameters / (x.config.zero >= training::ZeroStage::optimizer ? shards_of(x, weights).ranks : 1);
}

void offload_gradients(Builder& b, const BlockContext& x, WeightKind weights, std::int64_t parameters,
                       OpId reduced) {
  if (!x.config.recipe.offload_optimizer) return;
  b.communicate(Lane::host, TimeCategory::other,
                tier_copy(x, machine::MemoryTier::host, Access::write,
                          own_share(x, weights, parameters) * gradient_bytes(x)),
                {reduced});
}

static bool gathers_8_bit(const BlockContext& x) {
  return x.config.recipe.fp8_gather && machine::operand_bytes(x.config.precision) == 1;
}

training::RankParameters chunk_in_8_bit(const BlockContext& x, std::int32_t chunk) {
  if (!gathers_8_bit(x)) return {};
  return training::product_chunk_parameters(x.config, x.model, x.layout, chunk);
}

training::RankParameters layer_in_8_bit(const BlockContext& x, training::LayerKind kind) {
  if (!gathers_8_bit(x)) return {};
  return training::product_layer_parameters(x.config, x.model, kind);
}

ops::KernelKey copy_of(std::int64_t bytes) {  // an elementwise kernel of 16 bit moves four bytes an item
  return over_items(KernelKind::elementwise, bytes / 4, 1);
}

ops::CollectiveQuery parameter_gather(const BlockContext& x, WeightKind weights, std::int64_t parameters,
                                      std::int64_t in_8_bit) {
  const std::int64_t each = machine::element_bytes(x.config.precision);
  return {.kind = CollectiveKind::all_gather,
          .payload = Bytes(parameters * each - in_8_bit * (each - 1)),
          .group = shards_of(x, weights)};
}

namespace {

// One row of the tail under construction.
struct Row {
  Builder& b;
  Csr<WorkRun>& runs;
  void collective(TimeCategory part, const ops::CollectiveQuery& query, std::int32_t count = 1) {
    runs.push(
        {.work = Builder::unfinished(b.intern(query)), .count = count, .part = part, .is_kernel = false});
  }
  void kernel(TimeCategory part, const KernelKey& key, std::int32_t count = 1) {
    runs.push({.work = work_of(b.intern(key)), .count = count, .part = part, .is_kernel = true});
  }
};

// The weights that one stage holds.
struct StageContents {
  training::RankParameters trained;
  std::int64_t replicated_weights = 0;  // whole on every tensor rank
  bool ends = false;                    // first or last stage: holds an embedding table
};

StageContents contents_of(const BlockContext& x, std::int32_t stage) {
  StageContents held;
  held.trained = training::trained_stage_parameters(x.config, x.model, x.framework, x.layout, stage);
  for (std::size_t chunk = 0; chunk < x.layout.chunk_layers.size(); ++chunk) {
    if (x.layout.stage_of_chunk[chunk] != stage) continue;
    for (const training::LayerCount& like : x.layout.chunk_kinds.row(static_cast<std::int32_t>(chunk)))
      held.replicated_weights += like.count * training::replicated_layer_parameters(x.model, like.kind);
    held.ends = held.ends || x.layout.opens_model(chunk) || x.layout.closes_model(chunk);
    if (x.layout.opens_model(chunk) && x.model.embedding_norm)
      held.replicated_weights += training::one_norm_parameters(x.model);
    if (x.layout.closes_model(chunk))
      held.replicated_weights +=
          training::final_norm_parameters(x.model) +
          x.config.recipe.mtp_layers * training::replicated_multi_token_parameters(x.model);
  }
  return held;
}

// Calls `each(weights, parameters, chunk)` for the weights of every chunk of the stage of which there are
// copies.
template <class Each>
void for_copied_weights(const BlockContext& x, std::int32_t stage, Each each) {
  training::for_chunks_of(
      x.layout, stage,
      [&](std::int32_t chunk) {
        return training::trained_chunk_parameters(x.config, x.model, x.framework, x.layout, chunk);
      },
      [&](const training::RankParameters& held, std::int32_t chunk) {
        for (const WeightKind weights : {WeightKind::dense, WeightKind::expert})
          if (held.of(weights) > 0 && copies_of(x, weights).ranks > 1) each(weights, held.of(weights), chunk);
      });
}

// Two stages hold the same chunks of the two copies of the model, and sum their gradients, or the shards of
// the gradients they keep. Neglected: sums of the embeddings where a stage holds them twice.
void sum_over_copies(Row row, const BlockContext& x, std::int32_t stage) {
  const training::RankParameters held =
      training::trained_stage_parameters(x.config, x.model, x.framework, x.layout, stage);
  for (const WeightKind weights : {WeightKind::dense, WeightKind::expert}) {
    const bool sharded = x.config.zero >= training::ZeroStage::optimizer;
    const std::int64_t kept = held.of(weights) / (sharded ? shards_of(x, weights).ranks : 1);
    if (kept > 0)
      row.collective(data_part(x), {.kind = CollectiveKind::all_reduce,
                                    .payload = Bytes(kept * gradient_bytes(x)),
                                    .group = x.layout.mirrors[at(stage)]});
  }
}

void trace_gradients(Row row, const BlockContext& x, const StageContents& held, std::int32_t stage) {
  const training::TrainingConfig& c = x.config;
  if (!c.overlap.grad_reduce && c.zero <= training::ZeroStage::optimizer)
    for_copied_weights(x, stage, [&](WeightKind weights, std::int64_t parameters, std::int32_t) {
      if (copies_gradients(x)) row.kernel(data_part(x), copy_of(4 * parameters * gradient_bytes(x)));
      row.collective(data_part(x), gradient_reduction(x, weights, parameters));
      if (sums_over_replicas(x, weights))
        row.collective(data_part(x), replica_reduction(x, weights, parameters));
    });
  if (x.layout.copies > 1) sum_over_copies(row, x, stage);
  if (x.is_frozen()) return;
  if (c.sequence_parallel && c.degrees.tensor > 1)
    row.collective(TimeCategory::tp_comm, {.kind = CollectiveKind::all_reduce,
                                           .payload = Bytes(held.replicated_weights * gradient_bytes(x)),
                                           .group = x.layout.tensor});
  const bool copies_table = x.model.tied_embeddings || training::copies_embedding(c, x.model);
  // Where the model returns to the stage it began on (a V), that stage sums its table by itself.
  const bool apart = x.layout.stage_of_chunk.front() != x.layout.stage_of_chunk.back();
  if (copies_table && apart && held.ends)
    row.collective(TimeCategory::dp_comm,
                   {.kind = CollectiveKind::all_reduce,
                    .payload = Bytes(x.vocabulary / c.degrees.tensor * x.model.hidden * gradient_bytes(x)),
                    .group = x.layout.embedding});
}

// Ranks of one stage: all that process a part of the batch or of its tensors.
machine::GroupSpan stage_group(const training::RankLayout& layout) {
  machine::GroupSpan group = layout.data_context;
  group.ranks *= layout.tensor.ranks;
  group.nodes = std::max(group.nodes, layout.tensor.nodes);
  group.ranks_per_node = group.ranks / group.nodes;
  group.stride = layout.tensor.ranks > 1 ? layout.tensor.stride : group.stride;
  return group;
}

// Histories of the largest magnitudes, after every forward and every backward of a chunk: of input, weight
// and output of a layer's four products, and of their gradients.
void trace_scales(Row row, const BlockContext& x, std::int32_t stage) {
  const training::TrainingConfig& c = x.config;
  if (!counts_microbatches(c)) return;
  constexpr std::int32_t histories = 4 * 3, history = 1024;
  const machine::GroupSpan group = stage_group(x.layout);
  for (std::size_t chunk = 0; chunk < x.layout.chunk_layers.size(); ++chunk) {
    if (x.layout.stage_of_chunk[chunk] != stage || x.layout.chunk_layers[chunk] == 0) continue;
    const std::int32_t tensors = histories * x.layout.chunk_layers[chunk];
    const std::int32_t passes = 2 * training::microbatches_of(c);
    if (group.ranks > 1)
      row.collective(TimeCategory::other,
                     {.kind = CollectiveKind::all_reduce, .payload = Bytes(4LL * tensors), .group = group},
                     passes);
    KernelKey update{.kind = KernelKind::elementwise, .precision = machine::Precision::fp32};
    update.m = tensors, update.n = history;
    row.kernel(TimeCategory::other, update, passes);
  }
}

// Weights of this stage's narrow products: layers without norms, biases and routers.
void trace_weight_casts(Row row, const BlockContext& x, const StageContents& held, std::int32_t stage,
                        double owned_share) {
  const training::TrainingConfig& c = x.config;
  if (!machine::is_narrow(c.precision) || c.zero == training::ZeroStage::parameters) return;
  const std::int64_t table = x.vocabulary / c.degrees.tensor * x.model.hidden;
  const bool first = x.layout.stage_of_chunk.front() == stage, last = x.layout.stage_of_chunk.back() == stage;
  const int tables = (first ? 1 : 0) + (last ? 1 : 0) - (first && last && x.model.tied_embeddings ? 1 : 0);
  const std::int64_t all = held.trained.total() - held.replicated_weights - tables * table;
  if (all <= 0) return;
  // Weights that are transferred in 8 bit are cast by the ranks that update them.
  const auto cast = c.recipe.fp8_gather ? std::llround(static_cast<double>(all) * owned_share) : all;
  if (training::narrow_format(c, x.compute_capability).scale_is_global)
    row.kernel(TimeCategory::optimizer, over_weights(x, KernelKind::amax, cast));
  row.kernel(TimeCategory::optimizer, over_weights(x, KernelKind::quantize, cast));
}

// Each tensor arrives in as many parts as ranks share its states.
std::int64_t gathered_slices(const BlockContext& x, std::int32_t stage) {
  std::int64_t tensors = 0;
  for (std::size_t chunk = 0; chunk < x.layout.chunk_layers.size(); ++chunk)
    if (x.layout.stage_of_chunk[chunk] == stage)
      tensors += training::dense_tensors(x.model, x.layout, static_cast<std::int32_t>(chunk)).total();
  return x.layout.shard.ranks > 1 ? tensors * x.layout.shard.ranks : 0;
}

}  // namespace

void trace_step_tail(Builder& b, const BlockContext& x, Workload& out) {
  const training::TrainingConfig& c = x.config;
  const bool sharded = c.zero >= training::ZeroStage::optimizer;
  const bool streams_gradients = DataTraffic(c, x.layout).reduces_last;
  const auto bytes_each = static_cast<std::int32_t>(gradient_bytes(x));
  for (std::int32_t stage = 0; stage < c.degrees.pipeline; ++stage) {
    if (repeats_stage_before(x.layout, stage, out.tail)) continue;
    const StageContents held = contents_of(x, stage);
    if (sharded) out.tail.slices = std::max(out.tail.slices, gathered_slices(x, stage));
    trace_scales({b, out.tail.gradients}, x, stage);
    trace_gradients({b, out.tail.gradients}, x, held, stage);
    out.tail.gradients.close_row();

    const std::int64_t updated = own_share(x, WeightKind::dense, held.trained.dense) +
                                 own_share(x, WeightKind::expert, held.trained.expert);
    Row grad_norm{b, out.tail.grad_norm}, update{b, out.tail.update};
    const ops::CollectiveQuery one_number{
        .kind = CollectiveKind::all_reduce, .payload = Bytes(4), .group = x.layout.model};
    const bool updates = c.recipe.optimizer != training::Optimizer::none;
    const bool checks_for_infinity = updates && c.precision == machine::Precision::fp16;
    const bool clips = updates && c.recipe.grad_clip;
    if (clips)
      grad_norm.kernel(TimeCategory::optimizer,
                       over_parameters(x, KernelKind::grad_norm, updated, bytes_each));
    const std::int32_t agreements = (clips ? 1 : 0) + (checks_for_infinity ? 1 : 0);
    if (x.layout.model.ranks > 1 && agreements > 0)
      grad_norm.collective(TimeCategory::other, one_number, agreements);
    out.tail.grad_norm.close_row();

    if (!updates) {
      out.tail.update.close_row();
      continue;
    }
    if (!c.recipe.offload_optimizer)
      update.kernel(TimeCategory::optimizer,
                    over_parameters(x, KernelKind::optimizer, updated, training::update_bytes(c)));
    const UpdateLegs legs = update_legs(x, updated, streams_gradients);
    for (std::int32_t i = 0; i < legs.count; ++i)
      update.collective(legs.leg[at(i)].part, legs.leg[at(i)].query);
    trace_weight_casts(update, x, held, stage,
                       static_cast<double>(updated) / static_cast<double>(held.trained.total()));
    update.kernel(TimeCategory::optimizer,
                  over_parameters(x, KernelKind::memset_zero,
                                  c.zero < training::ZeroStage::gradients ? held.trained.total() : updated,
                                  bytes_each));
    if (sharded && !c.overlap.param_gather && c.zero < training::ZeroStage::parameters)
      for_copied_weights(x, stage, [&](WeightKind weights, std::int64_t parameters, std::int32_t chunk) {
        const ops::CollectiveQuery gather =
            parameter_gather(x, weights, parameters, chunk_in_8_bit(x, chunk).of(weights));
        if (x.framework.weight_return == training::WeightReturn::all_gather)
          return update.collective(TimeCategory::zero_comm, gather);
        for (const OwnersBroadcast& sent : owners_broadcasts(x, weights, chunk, gather))
          if (sent.count > 0) update.collective(TimeCategory::zero_comm, sent.query, sent.count);
      });
    out.tail.update.close_row();
  }
}

}  // namespace echo::workload
