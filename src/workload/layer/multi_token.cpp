// The next token's embedding and the hidden state, each after a norm of its own, are concatenated and
// projected from 2 h to h; a transformer layer and the shared output head with a loss of its own follow.
// Embedding and head are those of the model: each depth performs one more lookup, one more product and one
// more addition to their gradients. The projection is column-parallel; its output is gathered over the
// tensor group and, under sequence parallelism, cut along the sequence. Full recomputation repeats
// projection and layer if it is uniform, and not if it is by blocks. Sources: DeepSeek-V3 (arXiv:2412.19437,
// section 2.2); Megatron-LM core/transformer/multi_token_prediction.py. Neglected: the shift of tokens by
// one, also across context-parallel ranks (a few bytes).
#include "workload/layer/multi_token.hpp"

#include "training/layout/multi_token.hpp"
#include "workload/layer/parallel_linear.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::KernelKind;
using training::Recompute;

// The norms, the concatenation and the projection. `embedded`: the op that the first kernel waits for.
void projection_forward(Builder& b, const Shapes& s, TimeCategory part, OpId embedded = OpId::none()) {
  for (int norm = 0; norm < 2; ++norm)
    b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {embedded});
  b.compute(part, s.op(KernelKind::elementwise, s.shared_rows, 2 * s.hidden));
  const OpId input = column_forward(b, s, part, 2 * s.hidden, s.hidden / s.t);
  if (s.t == 1) return;
  const OpId whole =
      b.communicate(Lane::tensor, TimeCategory::tp_comm,
                    s.over_tensor(CollectiveKind::all_gather, s.hidden_bytes()), {b.last_compute(), input});
  b.compute(part, s.op(KernelKind::elementwise, s.shared_rows, s.hidden), {whole});  // this rank's rows
}

void projection_backward(Builder& b, const Shapes& s, const GradientReady& ready) {
  if (s.t > 1) {
    const OpId rows = gather(b, s, b.last_compute(), s.hidden);
    b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.rows, s.hidden / s.t),
              {rows});  // its columns
  }
  const OpId gradient = column_backward(b, s, 2 * s.hidden, s.hidden / s.t, ready);
  b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.shared_rows, 2 * s.hidden), {gradient});
  for (int norm = 0; norm < 2; ++norm)
    b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden));
}

// The recomputation of the layer of a depth.
Recompute recompute_of_depth(const training::TrainingConfig& c) {
  const bool is_skipped =
      c.recompute == Recompute::full && c.recipe.recompute_method != training::RecomputeMethod::uniform;
  return is_skipped ? Recompute::none : c.recompute;
}

}  // namespace

void multi_token_forward(Builder& b, const BlockContext& x, OpId start_after) {
  const Shapes s(x);
  embedding_forward(b, x, start_after);
  projection_forward(b, s, TimeCategory::forward);
  layer_forward(b, x, training::multi_token_layer_kind(x.model), TimeCategory::forward);
  head_forward(b, x);
}

void multi_token_backward(Builder& b, const BlockContext& x, const GradientReady& ready,
                          Completes completes) {
  const Shapes s(x);
  const GradientReady nobody;
  Accumulating accumulating(ready, s);
  head_backward(b, x, completes.head ? ready : nobody);
  const Recompute recompute = recompute_of_depth(x.config);
  if (recompute == Recompute::full) projection_forward(b, s, TimeCategory::recompute);
  layer_backward(b, x, training::multi_token_layer_kind(x.model), recompute, ready);
  projection_backward(b, s, accumulating.hook());
  b.compute(TimeCategory::backward,
            s.op(KernelKind::elementwise, s.shared_rows, s.hidden));  // added to the model's own gradient
  embedding_backward(b, x, completes.embedding ? ready : nobody);
}

void multi_token_weight_gradients(Builder& b, const BlockContext& x) {
  const Shapes s(x);
  const GradientReady nobody;
  Accumulating accumulating(nobody, s);
  head_weight_gradients(b, x);
  layer_weight_gradients(b, x, training::multi_token_layer_kind(x.model));
  weight_gradient(b, s, 2 * s.hidden, s.hidden / s.t, s.rows, accumulating.hook());
}

}  // namespace echo::workload
