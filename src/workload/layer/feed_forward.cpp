#include "workload/layer/feed_forward.hpp"

#include "workload/layer/parallel_linear.hpp"

namespace echo::workload {

using ops::KernelKey;
using ops::KernelKind;

std::int32_t feed_forward_inputs(const Shapes& s) { return s.x.model.gated_ffn ? 2 * s.ffn : s.ffn; }

KernelKey feed_forward_activation(const Shapes& s, KernelKind kind) {
  KernelKey key = s.op(kind, s.rows, s.ffn);
  key.gated = s.x.model.gated_ffn;
  return key;
}

static Shapes in_net(const Shapes& s) {
  Shapes net = s;
  net.in_net = true;
  return net;
}

void feed_forward_up(Builder& b, const Shapes& given, TimeCategory part, OpId weights) {
  const Shapes s = in_net(given);
  const OpId input = column_forward(b, s, part, s.hidden, feed_forward_inputs(s), weights);
  b.compute(part, feed_forward_activation(s, KernelKind::activation_forward), {input});
}

OpId feed_forward(Builder& b, const Shapes& s, TimeCategory part, OpId weights) {
  feed_forward_up(b, s, part, weights);
  return row_forward(b, in_net(s), part, s.ffn);
}

OpId feed_forward_backward(Builder& b, const Shapes& given, const GradientReady& ready) {
  const Shapes s = in_net(given);
  row_backward(b, s, s.ffn, ready);
  b.compute(TimeCategory::backward, feed_forward_activation(s, KernelKind::activation_backward));
  return column_backward(b, s, s.hidden, feed_forward_inputs(s), ready);
}

}  // namespace echo::workload
