// The op list of a transformer layer, in launch order, per gpu rank of a tensor-parallel group of t ranks.
//
// Column-parallel products (query-key-value, first feed-forward) split their output, row-parallel ones
// (projection, second feed-forward) their input and end in a sum over the group. With sequence parallelism
// that sum is a reduce-scatter and each column-parallel input is an all-gather; norms and residuals then work
// on 1/t of the tokens. Backward mirrors it: the input-gradient reduction of a column-parallel layer runs
// beside its weight-gradient GEMM, and with sequence parallelism the input is gathered again beside the
// input-gradient GEMM. Sources: Megatron-LM core/tensor_parallel/layers.py
// (LinearWithGradAccumulationAndAsyncCommunication), core/transformer/{attention,mlp,transformer_layer}.py;
// Korthikanti et al. 2022, figures 4-6. Neglected: bias vectors' own gradient reductions inside a kernel
// (they ride on the weight-gradient GEMM).
#include "workload/transformer.hpp"

#include <algorithm>

#include "workload/core_attention.hpp"
#include "workload/shapes.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

constexpr Part tensor_part = Part::tp_comm;

// 8-bit recipes cast each product's operand to 8 bit and write it twice, as it is and transposed (Hopper's
// 8-bit products take one layout only): per element 2 bytes read, 2 written, like an elementwise kernel of 16
// bit. Casts of weights happen once a step and are left out. Source: Transformer Engine, cast_transpose
// kernels.
void cast_to_8_bit(Builder& b, const Shapes& s, Part part, std::int32_t rows, std::int32_t columns) {
  if (machine::operand_bytes(s.x.config.precision) == 1 && !s.sixteen_bit)
    b.compute(part, s.op(KernelKind::elementwise, rows, columns));
}

// What the group exchanges before a column-parallel product; -1 when nothing.
OpIndex gather(Builder& b, const Shapes& s, OpIndex after) {
  if (!s.sequence_parallel) return -1;
  return b.communicate(Lane::tensor, tensor_part, s.over_tensor(CollectiveKind::all_gather, s.hidden_bytes()),
                       {after});
}

// The sum after a row-parallel product (or of an input gradient); -1 on one rank.
OpIndex sum(Builder& b, const Shapes& s, OpIndex after) {
  if (s.t == 1) return -1;
  const auto kind = s.sequence_parallel ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
  return b.communicate(Lane::tensor, tensor_part, s.over_tensor(kind, s.hidden_bytes()), {after});
}

// Forward of a column-parallel product of `width` local columns. Returns the transfer the next op still waits
// for. With tensor overlap (Transformer Engine userbuffers: chunks travel round a ring while the chunk at
// hand is multiplied) the product starts on the local chunk at once and both must be over before the next op.
OpIndex column_forward(Builder& b, const Shapes& s, Part part, std::int32_t width) {
  const OpIndex input = gather(b, s, b.last_compute());
  const KernelKey product = s.gemm(s.rows, width, s.hidden, GemmLayout::tn);
  if (!s.overlaps()) {
    b.compute(part, product, {input});
    return -1;
  }
  b.compute(part, product);
  return input;
}

// Forward of a row-parallel product of `width` local rows and its sum over the group, which the next op waits
// for. With tensor overlap all chunks but the last are summed while the product still runs.
OpIndex row_forward(Builder& b, const Shapes& s, Part part, std::int32_t width) {
  const KernelKey product = s.gemm(s.rows, s.hidden, width, GemmLayout::tn);
  cast_to_8_bit(b, s, part, s.rows, width);  // a column-parallel input is cast by the norm before it
  if (!s.overlaps()) {
    b.compute(part, product);
    return sum(b, s, b.last_compute());
  }
  const std::int64_t last_chunk = s.hidden_bytes() / s.t;
  b.communicate(Lane::tensor, tensor_part,
                s.over_tensor(CollectiveKind::reduce_scatter, s.hidden_bytes() - last_chunk),
                {b.last_compute()});
  b.compute(part, product);
  return b.communicate(Lane::tensor, tensor_part, s.over_tensor(CollectiveKind::reduce_scatter, last_chunk),
                       {b.last_compute()});
}

void rope(Builder& b, const Shapes& s, Part part, OpIndex after = -1) {
  if (s.x.model.positions == training::Positions::rope)
    b.compute(part, s.op(KernelKind::rope, s.rows, s.query + s.key_value), {after});
}

KernelKey activation(const Shapes& s, KernelKind kind) {
  KernelKey key = s.op(kind, s.rows, s.ffn);
  key.gated = s.x.model.gated_ffn;
  return key;
}

// Gradient of a weight of `inputs` x `outputs` local entries, once `need` (a gathered operand, or -1) is
// there.
void weight_gradient(Builder& b, const Shapes& s, std::int32_t inputs, std::int32_t outputs,
                     const GradientReady& ready, OpIndex need = -1) {
  const OpIndex done = b.compute(Part::backward, s.gemm(inputs, outputs, s.rows, GemmLayout::nt), {need});
  ready(b, std::int64_t{inputs} * outputs, done);
}

// Backward of a column-parallel product out[rows, width] = in[rows, hidden] * W: the input gradient is summed
// over the group while the weight gradient is computed. Returns the sum (or -1).
OpIndex column_backward(Builder& b, const Shapes& s, std::int32_t width, const GradientReady& ready) {
  cast_to_8_bit(b, s, Part::backward, s.rows, width);
  const OpIndex input = gather(b, s, b.last_compute());
  const OpIndex input_gradient = b.compute(Part::backward, s.gemm(s.rows, s.hidden, width, GemmLayout::nn));
  const OpIndex summed = sum(b, s, input_gradient);
  if (!s.x.splits_backward) weight_gradient(b, s, s.hidden, width, ready, input);
  return summed;
}

// Backward of a row-parallel product out[rows, hidden] = in[rows, width] * W.
void row_backward(Builder& b, const Shapes& s, std::int32_t width, const GradientReady& ready) {
  cast_to_8_bit(b, s, Part::backward, s.shared_rows, s.hidden);
  const OpIndex gathered = gather(b, s, b.last_compute());
  const KernelKey input_gradient = s.gemm(s.rows, width, s.hidden, GemmLayout::nn);
  if (s.overlaps())
    b.compute(Part::backward, input_gradient);
  else
    b.compute(Part::backward, input_gradient, {gathered});
  if (!s.x.splits_backward) weight_gradient(b, s, width, s.hidden, ready, gathered);
}

// Without fused accumulation the 16-bit weight gradient is added to its buffer by a kernel of its own.
struct Accumulating {
  const GradientReady& ready;
  const Shapes& s;
  static void call(void* self, Builder& b, std::int64_t parameters, OpIndex done) {
    const auto& me = *static_cast<Accumulating*>(self);
    if (!me.s.x.framework.fused_grad_accumulation)
      done = b.compute(Part::backward,
                       me.s.op(KernelKind::grad_accumulate,
                               static_cast<std::int32_t>(parameters / me.s.hidden), me.s.hidden));
    me.ready(b, parameters, done);
  }
};

}  // namespace

void layer_forward(Builder& b, const BlockContext& x, Part part, OpIndex start_after) {
  const Shapes s(x);
  const std::int32_t up = x.model.gated_ffn ? 2 * s.ffn : s.ffn;
  b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {start_after});
  const OpIndex attention_input = column_forward(b, s, part, s.query + 2 * s.key_value);
  rope(b, s, part, attention_input);
  core_attention_forward(b, s, part, attention_input);
  const OpIndex attention_sum = row_forward(b, s, part, s.query);
  b.compute(part, s.op(KernelKind::residual_forward, s.shared_rows, s.hidden), {attention_sum});
  b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden));
  const OpIndex ffn_input = column_forward(b, s, part, up);
  b.compute(part, activation(s, KernelKind::activation_forward), {ffn_input});
  const OpIndex ffn_sum = row_forward(b, s, part, s.ffn);
  b.compute(part, s.op(KernelKind::residual_forward, s.shared_rows, s.hidden), {ffn_sum});
}

void layer_backward(Builder& b, const BlockContext& x, const GradientReady& when_ready, OpIndex start_after) {
  const Shapes s(x);
  Accumulating accumulating{when_ready, s};
  const GradientReady ready{&Accumulating::call, &accumulating};
  const std::int32_t up = x.model.gated_ffn ? 2 * s.ffn : s.ffn;
  if (x.config.recompute == training::Recompute::full) {
    layer_forward(b, x, Part::recompute, start_after);
    start_after = -1;
  }

  b.compute(Part::backward, s.op(KernelKind::residual_backward, s.shared_rows, s.hidden), {start_after});
  row_backward(b, s, s.ffn, ready);
  b.compute(Part::backward, activation(s, KernelKind::activation_backward));
  const OpIndex ffn_gradient = column_backward(b, s, up, ready);
  b.compute(Part::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden), {ffn_gradient});
  b.compute(Part::backward, s.op(KernelKind::residual_backward, s.shared_rows, s.hidden));

  if (x.config.recompute == training::Recompute::selective) core_attention_forward(b, s, Part::recompute);
  row_backward(b, s, s.query, ready);
  core_attention_backward(b, s);
  rope(b, s, Part::backward);
  const OpIndex attention_gradient = column_backward(b, s, s.query + 2 * s.key_value, ready);
  b.compute(Part::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden), {attention_gradient});
}

void layer_weight_gradients(Builder& b, const BlockContext& x) {
  const Shapes s(x);
  const GradientReady nobody;
  Accumulating accumulating{nobody, s};
  const GradientReady ready{&Accumulating::call, &accumulating};
  weight_gradient(b, s, s.ffn, s.hidden, ready);
  weight_gradient(b, s, s.hidden, x.model.gated_ffn ? 2 * s.ffn : s.ffn, ready);
  weight_gradient(b, s, s.query, s.hidden, ready);
  weight_gradient(b, s, s.hidden, s.query + 2 * s.key_value, ready);
}

void head_weight_gradients(Builder& b, const BlockContext& x) {
  Shapes s(x);
  s.sixteen_bit = true;
  const GradientReady nobody;
  Accumulating accumulating{nobody, s};
  weight_gradient(b, s, s.hidden, s.vocabulary, {&Accumulating::call, &accumulating});
}

void embedding_forward(Builder& b, const BlockContext& x, OpIndex start_after) {
  const Shapes s(x);
  b.compute(Part::forward, s.op(KernelKind::embedding_forward, s.rows, s.hidden), {start_after});
  const OpIndex summed = sum(b, s, b.last_compute());
  // Positions and dropout; without them the sum is still copied into the layer's layout.
  b.compute(Part::forward,
            s.op(s.dropout ? KernelKind::residual_forward : KernelKind::elementwise, s.shared_rows, s.hidden),
            {summed});
}

void embedding_backward(Builder& b, const BlockContext& x, const GradientReady& ready) {
  const Shapes s(x);
  const OpIndex gathered = gather(b, s, b.last_compute());
  const OpIndex done =
      b.compute(Part::backward, s.op(KernelKind::embedding_backward, s.rows, s.hidden), {gathered});
  const std::int64_t positions =
      x.model.positions == training::Positions::learned ? x.model.max_positions : 0;
  ready(b, (s.vocabulary + positions) * s.hidden, done);
}

void head_forward(Builder& b, const BlockContext& x, OpIndex start_after) {
  Shapes s(x);
  s.sixteen_bit = true;
  b.compute(Part::forward, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {start_after});
  const OpIndex input = gather(b, s, b.last_compute());
  b.compute(Part::forward, s.gemm(s.rows, s.vocabulary, s.hidden, GemmLayout::tn), {input});
  b.compute(Part::forward, s.op(KernelKind::cross_entropy_forward, s.rows, s.vocabulary));
  if (s.t > 1) {  // maximum, predicted logit and sum of exponentials: one fp32 number per token each
    OpIndex last = b.last_compute();
    for (int i = 0; i < 3; ++i)
      last = b.communicate(Lane::tensor, tensor_part, s.over_tensor(CollectiveKind::all_reduce, 4LL * s.rows),
                           {last});
    b.compute(Part::forward, s.op(KernelKind::elementwise, s.rows, 1), {last});
  }
}

void head_backward(Builder& b, const BlockContext& x, const GradientReady& when_ready) {
  Shapes s(x);
  s.sixteen_bit = true;
  Accumulating accumulating{when_ready, s};
  const GradientReady ready{&Accumulating::call, &accumulating};
  b.compute(Part::backward, s.op(KernelKind::cross_entropy_backward, s.rows, s.vocabulary));
  const OpIndex summed = column_backward(b, s, s.vocabulary, ready);
  b.compute(Part::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden), {summed});
}

}  // namespace echo::workload
