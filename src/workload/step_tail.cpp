// The end of a step, in Megatron's order (core/distributed/finalize_model_grads.py,
// core/optimizer/optimizer.py): reduce gradients that did not go out during the backward, sum norm gradients
// of sequence-parallel ranks, sum the tied embedding between first and last stage, agree on the global
// gradient norm, update, gather updated parameters.
//
// Adam's traffic per parameter, in bytes: gradient read 4; master weight, two moments read and written 24;
// 16-bit weight written 2; clipping reads and writes the gradient 8; fp16 loss scaling unscales it once
// more 8.
#include "workload/step_tail.hpp"

#include <algorithm>

#include "training/memory.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::KernelKey;
using ops::KernelKind;

// A kernel over more items than 32 bits hold is the same kernel over a batch of slabs.
KernelKey over_parameters(const BlockContext& x, KernelKind kind, std::int64_t parameters,
                          std::int32_t bytes_each) {
  constexpr std::int64_t slab = std::int64_t{1} << 30;
  KernelKey key;
  key.kind = kind;
  key.precision = machine::Precision::fp32;
  key.style = x.framework.style;
  key.batch = static_cast<std::int32_t>((parameters + slab - 1) / slab);
  key.m = static_cast<std::int32_t>(parameters / std::max(1, key.batch));
  key.n = bytes_each;
  return key;
}

}  // namespace

std::int64_t gradient_bytes(const BlockContext& x) {
  return x.framework.fp32_gradients ? 4 : machine::element_bytes(x.config.precision);
}

Part data_part(const BlockContext& x) {
  return x.config.zero == training::ZeroStage::none ? Part::dp_comm : Part::zero_comm;
}

ops::CollectiveQuery gradient_reduction(const BlockContext& x, std::int64_t parameters) {
  const auto kind = x.config.zero == training::ZeroStage::none ? CollectiveKind::all_reduce
                                                               : CollectiveKind::reduce_scatter;
  return {.kind = kind,
          .payload = Bytes(parameters * gradient_bytes(x)),
          .group = kind == CollectiveKind::all_reduce ? x.layout.data_context : x.layout.shard,
          .settings = x.config.comm};
}

ops::CollectiveQuery replica_reduction(const BlockContext& x, std::int64_t parameters) {
  return {.kind = CollectiveKind::all_reduce,
          .payload = Bytes(parameters * gradient_bytes(x) / x.layout.shard.ranks),
          .group = x.layout.replica,
          .settings = x.config.comm};
}

void reduce_gradients(Builder& b, const BlockContext& x, std::int64_t parameters, OpIndex done) {
  const OpIndex reduced = b.communicate(Lane::data, data_part(x), gradient_reduction(x, parameters), {done});
  if (x.config.zero != training::ZeroStage::none && x.layout.replica.ranks > 1)
    b.communicate(Lane::data, data_part(x), replica_reduction(x, parameters), {reduced});
}

ops::CollectiveQuery parameter_gather(const BlockContext& x, std::int64_t parameters) {
  return {.kind = CollectiveKind::all_gather,
          .payload = Bytes(parameters * machine::element_bytes(x.config.precision)),
          .group = x.layout.shard,
          .settings = x.config.comm};
}

void trace_step_tail(Builder& b, const BlockContext& x, Workload& out) {
  const training::TrainingConfig& c = x.config;
  const auto chunks = static_cast<std::int32_t>(x.layout.chunk_layers.size());
  const bool replicated = x.layout.data_context.ranks > 1;
  const bool sharded = c.zero >= training::ZeroStage::optimizer && replicated;
  const bool tied_apart = x.model.tied_embeddings && c.degrees.pipeline > 1;
  const std::int64_t norm_vectors = training::replicated_layer_parameters(x.model);

  for (std::int32_t stage = 0; stage < c.degrees.pipeline; ++stage) {
    const auto collective = [&b](Csr<WorkRun>& row, Part part, const ops::CollectiveQuery& query) {
      row.push({.work = b.intern(query), .count = 1, .part = part, .is_kernel = false});
    };
    const auto kernel = [&b](Csr<WorkRun>& row, Part part, const KernelKey& key) {
      row.push({.work = b.intern(key), .count = 1, .part = part, .is_kernel = true});
    };
    std::int64_t parameters = 0, layers = 0;
    bool ends = false;  // first or last stage: holds an embedding table
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      if (x.layout.stage_of_chunk[static_cast<std::size_t>(chunk)] != stage) continue;
      const std::int64_t own = training::chunk_parameters(c, x.model, x.framework, x.layout, chunk);
      parameters += own;
      layers += x.layout.chunk_layers[static_cast<std::size_t>(chunk)];
      ends = ends || chunk == 0 || chunk == chunks - 1;
      if (replicated && !c.overlap.grad_reduce && c.zero <= training::ZeroStage::optimizer) {
        collective(out.tail.gradients, data_part(x), gradient_reduction(x, own));
        if (sharded && x.layout.replica.ranks > 1)
          collective(out.tail.gradients, data_part(x), replica_reduction(x, own));
      }
    }
    if (c.sequence_parallel && c.degrees.tensor > 1)
      collective(out.tail.gradients, Part::tp_comm,
                 {.kind = CollectiveKind::all_reduce,
                  .payload = Bytes(layers * norm_vectors * gradient_bytes(x)),
                  .group = x.layout.tensor,
                  .settings = c.comm});
    if (tied_apart && ends)
      collective(out.tail.gradients, Part::dp_comm,
                 {.kind = CollectiveKind::all_reduce,
                  .payload = Bytes(x.vocabulary / c.degrees.tensor * x.model.hidden * gradient_bytes(x)),
                  .group = x.layout.embedding,
                  .settings = c.comm});
    out.tail.gradients.close_row();

    const std::int64_t updated = sharded ? parameters / x.layout.shard.ranks : parameters;
    kernel(out.tail.agree, Part::optimizer,
           over_parameters(x, KernelKind::grad_norm, updated, static_cast<std::int32_t>(gradient_bytes(x))));
    if (x.layout.model.ranks > 1)
      collective(out.tail.agree, Part::other,
                 {.kind = CollectiveKind::all_reduce,
                  .payload = Bytes(4),
                  .group = x.layout.model,
                  .settings = c.comm});
    out.tail.agree.close_row();

    const std::int32_t state_bytes = 38 + (c.precision == machine::Precision::fp16 ? 8 : 0);
    kernel(out.tail.update, Part::optimizer, over_parameters(x, KernelKind::optimizer, updated, state_bytes));
    kernel(out.tail.update, Part::optimizer,
           over_parameters(x, KernelKind::memset_zero, parameters,
                           static_cast<std::int32_t>(gradient_bytes(x))));
    if (sharded && !c.overlap.param_gather && c.zero < training::ZeroStage::parameters)
      for (std::int32_t chunk = 0; chunk < chunks; ++chunk)
        if (x.layout.stage_of_chunk[static_cast<std::size_t>(chunk)] == stage)
          collective(
              out.tail.update, Part::zero_comm,
              parameter_gather(x, training::chunk_parameters(c, x.model, x.framework, x.layout, chunk)));
    out.tail.update.close_row();
  }
}

}  // namespace echo::workload
