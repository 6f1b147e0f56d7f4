// Two grouped products with the activation between them. Transformer Engine's GroupedLinear issues a cuBLAS
// call for every expert over a few streams, and casts, activation and what belongs to biases are kernels of
// their own.
//
// Biases (gpt-oss). That of the first product is added by the product itself, and its gradient formed by the
// weight gradient. That of the second must be weighted like the token it is added to, which no product does:
// Megatron-LM multiplies it by the probabilities, adds it expert by expert, joins the experts' parts and
// casts them back, each a PyTorch operator over all rows; backward casts, joins the parts of the gradient,
// and multiplies it twice by a broadcast vector, once for the sum over rows and once for that over columns
// (experts.py, TEGroupedMLP._apply_bias). Probabilities are fp32 with DeepEP and HybridEP, which carry no
// others, and then so are these tensors; an all-to-all keeps them in the router's 16 bit.
//
// Clamped activations (gpt-oss: SwiGLU of inputs cut off at 7). The fused activation knows no limits: both
// halves of its input are clamped and joined again before it, in three PyTorch operators each way
// (core/fusions/fused_bias_geglu.py, weighted_bias_quick_geglu_impl).
//
// Fused (fused_grouped_mlp): the first product's epilogue adds its bias, clamps, activates, weights and casts
// to mxfp8 both ways, the second's adds its weighted bias; backward alike. What is left is the cast of what
// arrives, and one launch for all experts. Source: Transformer Engine 2.14 pytorch/ops/fused/
// {forward,backward}_grouped_mlp.py (NVTE_CUTEDSL_FUSED_GROUPED_MLP, compute capability 10, mxfp8), cuDNN
// front end grouped_gemm_glu and grouped_gemm_dglu; Megatron-LM 0.18 experts.py, _is_fused_impl_supported.
// Neglected: that the epilogue's arithmetic delays the product.
#include "workload/mixture/experts.hpp"

#include "workload/layer/casts.hpp"
#include "workload/mixture/exchange.hpp"

namespace echo::workload {

namespace {

using machine::Precision;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

// A PyTorch operator of every expert, or one of all of them.
enum class Operator : std::int8_t { each, whole };

KernelKey operator_over(const Mixture& x, KernelKind kind, std::int32_t columns, Operator of) {
  const bool each = of == Operator::each;
  KernelKey key = x.s.op(kind, each ? x.rows_each : x.rows, columns, each ? x.experts : 1);
  key.style = ops::KernelStyle::eager;
  key.grouped = each && x.experts > 1;
  return key;
}

KernelKey in_width_of_probabilities(const Mixture& x, KernelKey key) {
  if (x.is_dispatched_whole()) key.precision = Precision::fp32;
  return key;
}

// Writes or reads the tensor in the width of the probabilities.
KernelKey one_way(const Mixture& x, KernelKind kind) {
  const std::int32_t bytes = x.is_dispatched_whole() ? 4 : machine::element_bytes(x.s.activation_precision());
  return operator_over(x, kind, x.s.hidden * bytes, Operator::each);
}

// Between 16 bit and fp32, either way: six bytes per element, three quarters of a copy in fp32.
void change_width(Builder& b, const Mixture& x, TimeCategory part) {
  if (!x.is_dispatched_whole()) return;
  KernelKey key =
      in_width_of_probabilities(x, operator_over(x, KernelKind::elementwise, x.s.hidden, Operator::whole));
  key.n = x.s.hidden * 3 / 4;
  b.compute(part, key);
}

bool weights_bias(const Mixture& x) { return x.s.x.model.linear_bias && !x.is_fused(); }

void add_weighted_bias(Builder& b, const Mixture& x, TimeCategory part) {
  if (!weights_bias(x)) return;
  const auto wide = [&](KernelKind kind, Operator of) {
    b.compute(part, in_width_of_probabilities(x, operator_over(x, kind, x.s.hidden, of)));
  };
  b.compute(part, one_way(x, KernelKind::memset_zero));  // bias times probability
  wide(KernelKind::merge, Operator::each);               // added to the result
  wide(KernelKind::elementwise, Operator::whole);        // experts joined
  change_width(b, x, part);
}

void weighted_bias_gradient(Builder& b, const Mixture& x) {
  if (!weights_bias(x)) return;
  const TimeCategory part = TimeCategory::backward;
  change_width(b, x, part);
  for (int i = 0; i < 2; ++i) {  // of the bias and of the probabilities: a product, and its sum
    b.compute(part, in_width_of_probabilities(
                        x, operator_over(x, KernelKind::elementwise, x.s.hidden, Operator::each)));
    b.compute(part, one_way(x, KernelKind::grad_norm));
  }
  change_width(b, x, part);
  b.compute(part, operator_over(x, KernelKind::elementwise, x.s.hidden, Operator::whole));
}

void cast_rows(Builder& b, const Mixture& x, TimeCategory part, std::int32_t columns) {
  cast_experts_to_8_bit(b, x.s, part, x.rows_each, columns, x.experts, x.is_fused());
}

bool clamps(const Mixture& x) { return x.s.x.model.clamped_activation && !x.is_fused(); }

void activate(Builder& b, const Mixture& x, TimeCategory part, OpId need = OpId::none()) {
  if (clamps(x)) {
    for (int half = 0; half < 2; ++half)
      b.compute(part, operator_over(x, KernelKind::elementwise, x.ffn, Operator::whole), {need});
    b.compute(part, operator_over(x, KernelKind::elementwise, x.up, Operator::whole));
    need = OpId::none();
  }
  b.compute(part, x.activation(KernelKind::activation_forward, x.rows, x.ffn), {need});
}

void activation_gradient(Builder& b, const Mixture& x) {
  b.compute(TimeCategory::backward, x.activation(KernelKind::activation_backward, x.rows, x.ffn));
  if (!clamps(x)) return;
  for (int half = 0; half < 2; ++half)  // reads the gradient and the input that was clamped
    b.compute(TimeCategory::backward, operator_over(x, KernelKind::merge, x.ffn, Operator::whole));
  b.compute(TimeCategory::backward, operator_over(x, KernelKind::elementwise, x.up, Operator::whole));
}

void expert_gradient(Builder& b, const Mixture& x, std::int32_t inputs, std::int32_t outputs,
                     const GradientReady& ready) {
  const OpId done =
      b.compute(TimeCategory::backward, x.product(inputs, outputs, x.rows_each, GemmLayout::nt));
  ready(b, training::WeightKind::expert, std::int64_t{x.experts} * inputs * outputs, done);
}

}  // namespace

void experts_forward(Builder& b, const Mixture& x, TimeCategory part, OpId arrived) {
  const Shapes& s = x.s;
  reorder(b, x, part, arrived);
  cast_rows(b, x, part, s.hidden);
  b.compute(part, x.product(x.rows_each, x.up, s.hidden, GemmLayout::tn), {arrived});
  if (!x.is_fused()) {
    activate(b, x, part);
    cast_rows(b, x, part, x.ffn);
  }
  b.compute(part, x.product(x.rows_each, s.hidden, x.ffn, GemmLayout::tn));
  add_weighted_bias(b, x, part);
  reorder(b, x, part);
}

void experts_backward(Builder& b, const Mixture& x, OpId arrived, const GradientReady& ready) {
  const Shapes& s = x.s;
  const TimeCategory part = TimeCategory::backward;
  reorder(b, x, part, arrived);
  if (s.recomputes(training::Module::moe_act) && !s.recomputes(training::Module::moe) && !x.is_fused())
    activate(b, x, TimeCategory::recompute, arrived);
  weighted_bias_gradient(b, x);
  cast_rows(b, x, part, s.hidden);
  b.compute(part, x.product(x.rows_each, x.ffn, s.hidden, GemmLayout::nn), {arrived});
  if (!s.x.splits_backward) expert_gradient(b, x, x.ffn, s.hidden, ready);
  if (!x.is_fused()) {
    activation_gradient(b, x);
    cast_rows(b, x, part, x.up);
  }
  b.compute(part, x.product(x.rows_each, s.hidden, x.up, GemmLayout::nn));
  if (!s.x.splits_backward) expert_gradient(b, x, s.hidden, x.up, ready);
  reorder(b, x, part);
}

void expert_weight_gradients(Builder& b, const Mixture& x, const GradientReady& ready) {
  expert_gradient(b, x, x.ffn, x.s.hidden, ready);
  expert_gradient(b, x, x.s.hidden, x.up, ready);
}

}  // namespace echo::workload
