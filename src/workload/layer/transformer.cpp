// The op list of a layer, in launch order, per gpu rank of a tensor-parallel group: norm, attention or Mamba
// mixer, residual; norm, feed-forward net or mixture of experts, residual. Hybrid models have layers of one
// half only. Under sequence parallelism norms and residuals work on this rank's part of the sequence.
// Sources: Megatron-LM core/transformer/{transformer_layer,mlp}.py, core/ssm/mamba_layer.py;
// parallel_linear.cpp, attention.cpp, mamba.cpp and mixture.cpp name the others.
#include "workload/layer/transformer.hpp"

#include "workload/layer/attention.hpp"
#include "workload/layer/feed_forward.hpp"
#include "workload/layer/mamba.hpp"
#include "workload/layer/parallel_linear.hpp"
#include "workload/layer/recompute.hpp"
#include "workload/layer/shapes.hpp"
#include "workload/mixture/mixture.hpp"
#include "workload/traffic/step_tail.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;
using training::LayerKind;
using training::Mixer;
using training::Net;

// Conversion between 16 bit and fp32, either way: six bytes per element.
KernelKey wide_copy(const Shapes& s) {
  return copy_of(std::int64_t{s.shared_rows} * s.hidden * (machine::element_bytes(s.x.config.precision) + 4));
}

KernelKey wide_norm(const Shapes& s, KernelKind kind) {
  KernelKey key = s.op(kind, s.shared_rows, s.hidden);
  key.precision = machine::Precision::fp32;
  return key;
}

// The norm before a half and, where the model has them, the one after it.
void norm_before(Builder& b, const Shapes& s, TimeCategory part, OpId after = OpId::none()) {
  if (!s.x.framework.norms_in_fp32) {
    b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {after});
    return;
  }
  b.compute(part, wide_copy(s), {after});
  b.compute(part, wide_norm(s, KernelKind::norm_forward));
}

void residual(Builder& b, const Shapes& s, TimeCategory part, OpId after) {
  if (s.x.model.post_norms) {
    b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {after});
    after = OpId::none();
  }
  b.compute(part, s.op(KernelKind::residual_forward, s.shared_rows, s.hidden), {after});
}

void residual_gradient(Builder& b, const Shapes& s, OpId after = OpId::none()) {
  b.compute(TimeCategory::backward, s.op(KernelKind::residual_backward, s.shared_rows, s.hidden), {after});
  if (s.x.model.post_norms)
    b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden));
}

void norm_gradient(Builder& b, const Shapes& s, OpId after) {
  if (!s.x.framework.norms_in_fp32) {
    b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden), {after});
    return;
  }
  b.compute(TimeCategory::backward, wide_norm(s, KernelKind::norm_backward), {after});
  b.compute(TimeCategory::backward, wide_copy(s));
}

// Norms whose outputs a framework that recomputes norms never keeps, whether it is set to recompute or not
// (InternEvo internlm/model/modeling_internlm.py, dropout_selective_checkpoint).
void norm_again(Builder& b, const Shapes& s) {
  if (s.x.framework.recomputes_norms && s.x.config.recompute != training::Recompute::full)
    norm_before(b, s, TimeCategory::recompute);
}

OpId mixer_forward(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part) {
  return mixer == Mixer::mamba ? mamba_forward(b, s, part) : attention_forward(b, s, mixer, part);
}

OpId mixer_backward(Builder& b, const Shapes& s, Mixer mixer, const GradientReady& ready) {
  return mixer == Mixer::mamba ? mamba_backward(b, s, ready) : attention_backward(b, s, mixer, ready);
}

OpId net_forward(Builder& b, const Shapes& s, Net net, TimeCategory part, GraphedParts& graphs) {
  if (net == Net::dense) return feed_forward(b, s, part);
  mixture_forward(b, s, part, graphs);
  return OpId::none();
}

training::GraphModule module_of(Mixer mixer) {
  return mixer == Mixer::mamba ? training::GraphModule::mamba : training::GraphModule::attn;
}

training::GraphModule module_of(Net net) {
  return net == Net::dense ? training::GraphModule::mlp : training::GraphModule::moe_router;
}

// The border of two stretches in a layer that has no dispatch.
void cut_without_transfer(Builder& b) { b.cut(), b.cut(); }

}  // namespace

void layer_forward(Builder& b, const BlockContext& x, LayerKind kind, TimeCategory part, OpId start_after,
                   Extent extent) {
  const Shapes s(x);
  const GraphedLayer replayed(b, x.config.recipe.cuda_graphs);
  GraphedParts graphs(b, x.config.recipe);
  cast_gathered_weights(b, s, kind, part, start_after);
  if (kind.mixer != Mixer::none) {
    graphs.enter(module_of(kind.mixer));
    norm_before(b, s, part, start_after);
    start_after = OpId::none();
    residual(b, s, part, mixer_forward(b, s, kind.mixer, part));
  }
  if (!kind.mixes_experts()) cut_without_transfer(b);
  if (kind.net != Net::none) {
    graphs.enter(module_of(kind.net));
    if (!training::shares_norm(x.model, kind)) norm_before(b, s, part, start_after);
    if (extent == Extent::needed && kind.net == Net::dense && !x.model.post_norms)
      return feed_forward_up(b, s, part);
    residual(b, s, part, net_forward(b, s, kind.net, part, graphs));
  }
  if (!kind.mixes_experts()) cut_without_transfer(b);
}

void layer_backward(Builder& b, const BlockContext& x, LayerKind kind, training::Recompute recompute,
                    const GradientReady& when_ready, OpId start_after) {
  Shapes s(x);
  s.recompute = recompute;
  Accumulating accumulating(when_ready, s);
  const GradientReady ready = accumulating.hook();
  const OpId recomputed = recompute_layer(b, s, kind, start_after);
  if (!recomputed.is_none()) start_after = recomputed;  // itself later than what it started after
  const GraphedLayer replayed(b, x.config.recipe.cuda_graphs);
  GraphedParts graphs(b, x.config.recipe);
  cast_gathered_weights(b, s, kind, TimeCategory::backward, start_after);
  if (!kind.mixes_experts()) cut_without_transfer(b);
  if (kind.net != Net::none) {
    if (kind.net == Net::dense) graphs.enter(training::GraphModule::mlp);
    residual_gradient(b, s, start_after);
    start_after = OpId::none();
    const bool own_norm = !training::shares_norm(x.model, kind);
    if (own_norm) norm_again(b, s);
    const OpId done =
        kind.mixes_experts() ? mixture_backward(b, s, graphs, ready) : feed_forward_backward(b, s, ready);
    if (own_norm)
      norm_gradient(b, s, done);
    else  // added to the gradient that attention gives to the norm's output
      b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.shared_rows, s.hidden), {done});
  }
  if (!kind.mixes_experts()) cut_without_transfer(b);
  if (kind.mixer != Mixer::none) {
    graphs.enter(module_of(kind.mixer));
    residual_gradient(b, s, start_after);
    norm_again(b, s);
    norm_gradient(b, s, mixer_backward(b, s, kind.mixer, ready));
  }
}

void layer_weight_gradients(Builder& b, const BlockContext& x, LayerKind kind) {
  const Shapes s(x);
  const GraphedLayer replayed(b, x.config.recipe.cuda_graphs);
  const GradientReady nobody;
  Accumulating accumulating(nobody, s);
  const GradientReady ready = accumulating.hook();
  if (kind.mixes_experts()) {
    mixture_weight_gradients(b, s, ready);
  } else if (kind.net == Net::dense) {
    weight_gradient(b, s, s.ffn, s.hidden, s.rows, ready);
    weight_gradient(b, s, s.hidden, feed_forward_inputs(s), s.rows, ready);
  }
  if (kind.has_attention()) attention_weight_gradients(b, s, ready);
  if (kind.mixer == Mixer::mamba) mamba_weight_gradients(b, s, ready);
}

namespace {

// Those of the output layer. Megatron-LM's own is 16-bit whatever the number format; with fp8_output_proj it
// is a Transformer Engine layer of 8-bit operands (core/extensions/transformer_engine.py,
// TELMHeadColumnParallelLinear). Its input comes out of a norm of its own; the gradient of the logits is cast
// like any other.
Shapes head_shapes(const BlockContext& x) {
  Shapes s(x);
  s.of_head = true;
  s.sixteen_bit = !(x.config.recipe.fp8_output_layer && x.config.precision == machine::Precision::mxfp8);
  return s;
}

}  // namespace

void head_weight_gradients(Builder& b, const BlockContext& x) {
  Shapes s = head_shapes(x);
  const GradientReady nobody;
  Accumulating accumulating(nobody, s);
  weight_gradient(b, s, s.hidden, s.vocabulary, s.rows, accumulating.hook());
}

void embedding_forward(Builder& b, const BlockContext& x, OpId start_after) {
  const Shapes s(x);
  b.compute(TimeCategory::forward, s.op(KernelKind::embedding_forward, s.rows, s.hidden), {start_after});
  const OpId summed = sum(b, s, b.last_compute(), s.hidden);
  // Positions and dropout; without them the sum is still copied into the layer's layout.
  b.compute(TimeCategory::forward,
            s.op(s.dropout ? KernelKind::residual_forward : KernelKind::elementwise, s.shared_rows, s.hidden),
            {summed});
  if (x.model.embedding_norm)
    b.compute(TimeCategory::forward, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden));
}

void embedding_backward(Builder& b, const BlockContext& x, const GradientReady& ready) {
  if (x.is_frozen()) return;
  const Shapes s(x);
  if (x.model.embedding_norm)
    b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden));
  const OpId gathered = gather(b, s, b.last_compute(), s.hidden);
  const OpId done =
      b.compute(TimeCategory::backward, s.op(KernelKind::embedding_backward, s.rows, s.hidden), {gathered});
  ready(b, training::WeightKind::dense,
        std::int64_t{s.vocabulary} * s.hidden + training::input_parameters(x.model), done);
}

void head_forward(Builder& b, const BlockContext& x, OpId start_after) {
  const Shapes s = head_shapes(x);
  b.compute(TimeCategory::forward, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {start_after});
  const OpId input = cast_and_gather(b, s, TimeCategory::forward, s.hidden, Origin::norm);
  b.compute(TimeCategory::forward, s.gemm(s.rows, s.vocabulary, s.hidden, GemmLayout::tn), {input});
  b.compute(TimeCategory::forward, s.op(KernelKind::cross_entropy_forward, s.rows, s.vocabulary));
  if (s.t > 1) {  // maximum, predicted logit and sum of exponentials: one fp32 number per token each
    OpId last = b.last_compute();
    for (int i = 0; i < 3; ++i)
      last = b.communicate(Lane::tensor, TimeCategory::tp_comm,
                           s.over_tensor(CollectiveKind::all_reduce, 4LL * s.rows), {last});
    b.compute(TimeCategory::forward, s.op(KernelKind::elementwise, s.rows, 1), {last});
  }
}

void head_backward(Builder& b, const BlockContext& x, const GradientReady& when_ready) {
  const Shapes s = head_shapes(x);
  Accumulating accumulating(when_ready, s);
  const GradientReady ready = accumulating.hook();
  b.compute(TimeCategory::backward, s.op(KernelKind::cross_entropy_backward, s.rows, s.vocabulary));
  const OpId summed = column_backward(b, s, s.hidden, s.vocabulary, ready);
  b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, s.hidden), {summed});
}

}  // namespace echo::workload
