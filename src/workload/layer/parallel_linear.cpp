// With sequence parallelism the sum after a row-parallel product is a reduce-scatter and each
// column-parallel input is an all-gather. Backward mirrors it: the input-gradient reduction of a
// column-parallel product runs beside its weight-gradient GEMM, and the input is gathered again beside the
// input-gradient GEMM, unless the framework keeps it as gathered. Before Megatron-LM v3.0 the reduction was
// a step of the backward like any other, and the weight gradient came after it. Sources: Megatron-LM
// core/tensor_parallel/layers.py (LinearWithGradAccumulationAndAsyncCommunication), v2.5
// megatron/mpu/{layers,mappings}.py (_CopyToModelParallelRegion.backward); Korthikanti et al. 2022, figures
// 4-6.
//
// Megatron's tensors have the sequence outermost, so that a gathered tensor is the concatenation of its
// parts. DTensor's have samples outermost: the data that the ranks of a group send is stored part by part
// and is copied into place, and a sum is copied part by part before it is scattered (PyTorch
// distributed/_functional_collectives.py, all_gather_tensor and reduce_scatter_tensor: chunk and cat where
// the dimension is not the first). Chunks of an overlapped product arrive in place, but one more kernel
// forms its sum from all ranks' parts (distributed/_symmetric_memory, _fused_matmul_reduce_scatter).
//
// Overlapped products (Transformer Engine userbuffers, module/base.py and common/comm_gemm_overlap: the
// methods by name; userbuffers.cpp says which run has which). Four kinds:
//   ring_exchange  forward of column-parallel (qkv_fprop, fc1_fprop) and input gradient of row-parallel
//                  products (proj_dgrad, fc2_dgrad): each rank multiplies its own part of the sequence, and
//                  every other part as it arrives. Whether products or links are slower, the last part is
//                  multiplied after it has come: time = (t - 1) max(product, transfer) + product of a part.
//   ring_exchange  forward of row-parallel products (proj_fprop, fc2_fprop): each rank multiplies the others'
//                  parts first and its own last, sends each to the rank it belongs to while it multiplies the
//                  next, and then adds up the t parts of its own: time = product of a part
//                  + (t - 1) max(product, transfer) + sum (CommOverlapP2PBase::split_overlap_rs; PyTorch's
//                  _pipelined_produce_and_all2all does the same).
//   pipeline       the same products otherwise: the rows are cut into `num_splits` = 4 parts, each scattered
//                  while the next is multiplied. Nothing travels beside the first product, nothing is
//                  multiplied beside the last transfer.
//   bulk           input and weight gradient of column-parallel products (qkv_dgrad, qkv_wgrad, fc1_*): whole
//                  products beside whole collectives.
// The parts run on up to three streams, so that one fills the SMs that the last round of another leaves: they
// are priced as one batch, with the tiles of a part's rows, and each reads its weights again.
// Neglected: aggregated parts (two at once), further launches of the host; bias vectors' own gradient
// reductions (they are computed inside the weight-gradient GEMM).
#include "workload/layer/parallel_linear.hpp"

#include <algorithm>
#include <cmath>

#include "workload/layer/adapter.hpp"
#include "workload/layer/userbuffers.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

constexpr TimeCategory tensor_part = TimeCategory::tp_comm;

// Whether `s` has DTensor's layout, with more than one part to put in place.
bool samples_outermost(const Shapes& s) { return s.sequence_parallel && s.x.framework.samples_outermost; }

// A pass over `elements` of 16 bit, each read and written.
OpId pass_over(Builder& b, const Shapes& s, double elements, OpId after) {
  KernelKey key = s.op(KernelKind::elementwise, s.rows,
                       std::max(1, static_cast<std::int32_t>(std::lround(elements / s.rows))));
  key.style = ops::KernelStyle::fused;
  return b.compute(tensor_part, key, {after});
}

// The source of the tensor between the two products of a feed-forward net, or of attention.
Origin origin_of(const Shapes& s) { return s.in_net ? Origin::activation : Origin::other; }

}  // namespace

OpId put_in_place(Builder& b, const Shapes& s, OpId gathered, double bytes) {
  return samples_outermost(s) && !s.overlaps() ? pass_over(b, s, bytes / 2.0, gathered) : gathered;
}

OpId gather(Builder& b, const Shapes& s, OpId after, std::int32_t width) {
  if (!s.sequence_parallel) return OpId::none();
  const OpId gathered = b.communicate(Lane::tensor, tensor_part,
                                      s.over_tensor(CollectiveKind::all_gather, s.bytes(width)), {after});
  return put_in_place(b, s, gathered, static_cast<double>(s.bytes(width)));
}

OpId sum(Builder& b, const Shapes& s, OpId after, std::int32_t width) {
  if (s.t == 1) return OpId::none();
  const auto kind = s.sequence_parallel ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  if (samples_outermost(s)) after = pass_over(b, s, static_cast<double>(s.bytes(width)) / 2.0, after);
  return b.communicate(Lane::tensor, tensor_part, s.over_tensor(kind, s.bytes(width)), {after});
}

namespace {

// A product whose left operand arrives part by part around a ring, the own part first. `arrived`: the gather.
void ring_product(Builder& b, const Shapes& s, TimeCategory part, std::int32_t outputs, std::int32_t inputs,
                  GemmLayout layout, OpId arrived, OpId weights = OpId::none()) {
  const KernelKey last = s.gemm(s.rows / s.t, outputs, inputs, layout);
  KernelKey others = last;
  others.batch = s.t - 1;
  b.compute(part, others, {weights});
  b.compute(part, last, {arrived});
}

// A row-parallel product whose parts leave for other ranks one by one, the own part last. What has come is
// read whole, and the sum of its parts written.
void scattering_ring(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width) {
  const KernelKey first = s.gemm(s.rows / s.t, s.hidden, width, GemmLayout::tn);
  KernelKey others = first;
  others.batch = s.t - 1;
  b.compute(part, first);
  const OpId sent = b.communicate(Lane::tensor, tensor_part,
                                  on_userbuffers(s, Transfer::ring_scatter)
                                      .over_tensor(CollectiveKind::reduce_scatter, scattered_bytes(s)),
                                  {b.last_compute()});
  b.compute(part, others);
  const double read = static_cast<double>(scattered_bytes(s)),
               written = static_cast<double>(s.hidden_bytes()) / s.t;
  pass_over(b, s, (read + written) / 4.0, sent);
}

// A row-parallel product whose parts are scattered one after the other. Returns the last scatter.
OpId scattering_pipeline(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width) {
  std::int32_t parts = 4;  // num_splits
  while (s.rows % parts != 0) --parts;
  const Shapes moved = on_userbuffers(s, Transfer::pipelined_scatter);
  const KernelKey first = s.gemm(s.rows / parts, s.hidden, width, GemmLayout::tn);
  if (parts == 1) {
    b.compute(part, first);
    return sum(b, moved, b.last_compute(), s.hidden);
  }
  KernelKey others = first;
  others.batch = parts - 1;
  const std::int64_t all = scattered_bytes(s), last_part = all / parts;
  const auto scatter = [&](std::int64_t bytes) {
    return b.communicate(Lane::tensor, tensor_part, moved.over_tensor(CollectiveKind::reduce_scatter, bytes),
                         {b.last_compute()});
  };
  b.compute(part, first);
  scatter(all - last_part);
  b.compute(part, others);
  return scatter(last_part);
}

}  // namespace

OpId column_forward(Builder& b, const Shapes& s, TimeCategory part, std::int32_t inputs, std::int32_t outputs,
                    OpId weights) {
  const OpId input = cast_and_gather(b, on_userbuffers(s, Transfer::ring_gather), part, inputs, Origin::norm);
  if (s.overlaps())
    ring_product(b, s, part, outputs, inputs, GemmLayout::tn, input, weights);
  else
    b.compute(part, s.gemm(s.rows, outputs, inputs, GemmLayout::tn), {input, weights});
  if (has_column_adapter(s)) column_adapter_forward(b, s, part, inputs, outputs, input);
  return OpId::none();
}

static OpId row_product(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width) {
  cast_to_8_bit(b, s, part, s.rows, width, origin_of(s));
  if (!s.overlaps()) {
    b.compute(part, s.gemm(s.rows, s.hidden, width, GemmLayout::tn));
    return sum(b, s, b.last_compute(), s.hidden);
  }
  if (!scatters_in_ring(s)) return scattering_pipeline(b, s, part, width);
  scattering_ring(b, s, part, width);
  return OpId::none();
}

OpId row_forward(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width) {
  const OpId summed = row_product(b, s, part, width);
  if (!has_row_adapter(s)) return summed;
  row_adapter_forward(b, s, part, width, summed);
  return OpId::none();
}

void weight_gradient(Builder& b, const Shapes& s, std::int32_t inputs, std::int32_t outputs,
                     std::int32_t rows, const GradientReady& ready, OpId need) {
  if (s.x.is_frozen()) return;
  const OpId done = b.compute(TimeCategory::backward, s.gemm(inputs, outputs, rows, GemmLayout::nt), {need});
  ready(b, training::WeightKind::dense, std::int64_t{inputs} * outputs, done);
}

OpId column_backward(Builder& b, const Shapes& s, std::int32_t inputs, std::int32_t outputs,
                     const GradientReady& ready) {
  cast_to_8_bit(b, s, TimeCategory::backward, s.rows, outputs, origin_of(s));
  const bool kept = !s.x.framework.gathers_inputs_again || s.x.is_frozen();
  const OpId input =
      kept ? OpId::none()
           : gather_operand(b, on_userbuffers(s, Transfer::bulk_gather), b.last_compute(), inputs);
  const OpId input_gradient =
      b.compute(TimeCategory::backward, s.gemm(s.rows, inputs, outputs, GemmLayout::nn));
  const OpId summed = sum(b, on_userbuffers(s, Transfer::bulk_scatter), input_gradient, inputs);
  if (s.x.framework.waits_for_input_gradients) b.hold_compute(summed);
  if (has_column_adapter(s)) {
    column_adapter_backward(b, s, inputs, outputs, ready, summed);
    return OpId::none();
  }
  if (!s.x.is_frozen()) transpose_operand(b, s, s.rows, inputs, Origin::norm, input);
  if (!s.x.splits_backward) weight_gradient(b, s, inputs, outputs, s.rows, ready, input);
  return summed;
}

void row_backward(Builder& b, const Shapes& s, std::int32_t width, const GradientReady& ready) {
  const OpId gathered = cast_and_gather(b, on_userbuffers(s, Transfer::ring_gather), TimeCategory::backward,
                                        s.hidden, Origin::other);
  if (s.overlaps())
    ring_product(b, s, TimeCategory::backward, width, s.hidden, GemmLayout::nn, gathered);
  else
    b.compute(TimeCategory::backward, s.gemm(s.rows, width, s.hidden, GemmLayout::nn), {gathered});
  if (!s.x.is_frozen()) transpose_operand(b, s, s.rows, s.hidden, Origin::other, gathered);
  if (has_row_adapter(s)) row_adapter_backward(b, s, width, ready);
  if (!s.x.splits_backward) weight_gradient(b, s, width, s.hidden, s.rows, ready, gathered);
}

void Accumulating::call(void* self, Builder& b, training::WeightKind kind, std::int64_t parameters,
                        OpId done) {
  const auto& me = *static_cast<Accumulating*>(self);
  if (me.s_.x.adds_gradients && !me.s_.x.config.recipe.fused_grad_accumulation)
    done = b.compute(TimeCategory::backward,
                     me.s_.op(KernelKind::grad_accumulate,
                              static_cast<std::int32_t>(std::max<std::int64_t>(1, parameters / me.s_.hidden)),
                              me.s_.hidden));
  me.ready_(b, kind, parameters, done);
}

}  // namespace echo::workload
