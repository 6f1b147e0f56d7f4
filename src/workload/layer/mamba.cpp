// One column-parallel product gives each token a gate z, values x, vectors B and C of its group and a time
// step of each head; x, B and C pass through a short causal convolution, the scan computes the outputs of
// the states and gates them, and a row-parallel product follows the norm. Heads are split over the tensor
// group, and so are groups. The memory-saving kernel keeps the first product's result only: backward repeats
// the convolution, and the scan computes its states again.
//
// Context ranks exchange tokens for heads around the scan: z, x, B, C and the time steps each by an
// all-to-all that the next one waits for; groups fewer than ranks are repeated first. Pieces are then put
// into the order of the sequence, and back after the scan, which returns one tensor. Sources: Dao and Gu
// 2024 (arXiv:2405.21060); Megatron-LM core/ssm/{mamba_mixer,mamba_context_parallel}.py,
// core/tensor_parallel/mappings.py (all_to_all_sp2hp); state-spaces/mamba ssd_combined.py
// (mamba_split_conv1d_scan_combined). Neglected: gradients of the convolution's weights and of the vectors,
// which are computed inside the kernels.
#include "workload/layer/mamba.hpp"

#include <algorithm>
#include <array>

#include "workload/layer/parallel_linear.hpp"

namespace echo::workload {

namespace {

using ops::KernelKind;

// Widths on one tensor rank, and around the scan.
struct Mixing {
  explicit Mixing(const Shapes& shapes) : s(shapes), cp(s.x.config.degrees.context) {
    const training::Mamba& m = s.x.model.mamba;
    inner = m.inner() / s.t, heads = m.heads / s.t, groups = m.groups / s.t, state = m.state;
    projected = m.projected() / s.t;
    repeated = std::max(groups, cp);  // groups as sent
  }
  // The rows and channels that this rank scans.
  [[nodiscard]] std::int32_t scanned_rows() const { return s.rows * cp; }
  [[nodiscard]] std::int32_t convolved() const { return inner / cp + 2 * (repeated / cp) * state; }
  [[nodiscard]] ops::KernelKey convolution(KernelKind kind) const {
    ops::KernelKey key = s.op(kind, scanned_rows(), convolved());
    key.style = ops::KernelStyle::fused;
    return key;
  }
  [[nodiscard]] ops::KernelKey scan(KernelKind kind) const {
    const training::Mamba& m = s.x.model.mamba;
    ops::KernelKey key = s.op(kind, scanned_rows(), m.head_dim, heads / cp);
    key.style = ops::KernelStyle::fused;
    key.k = state;
    key.groups = repeated / cp;
    key.span = m.chunk;
    return key;
  }
  [[nodiscard]] ops::KernelKey norm(KernelKind kind) const {
    ops::KernelKey key = s.op(kind, s.rows, inner);
    key.style = ops::KernelStyle::fused;
    return key;
  }
  // z, x, B, C and the time steps, as sent.
  [[nodiscard]] std::array<std::int32_t, 5> sent() const {
    return {inner, inner, repeated * state, repeated * state, heads};
  }

  const Shapes& s;
  std::int32_t cp, inner = 0, heads = 0, groups = 0, repeated = 0, state = 0, projected = 0;
};

void copy(Builder& b, const Mixing& x, TimeCategory part, std::int32_t width, OpId after = OpId::none()) {
  b.compute(part, x.s.op(KernelKind::elementwise, x.s.rows, width), {after});
}

OpId exchange(Builder& b, const Mixing& x, std::int32_t width) {
  return b.communicate(Lane::context, TimeCategory::cp_comm,
                       {.kind = ops::CollectiveKind::all_to_all,
                        .payload = Bytes(x.s.bytes(width)),
                        .group = x.s.x.layout.context},
                       {b.last_compute()});
}

std::int32_t sent_width(const Mixing& x) {
  std::int32_t sum = 0;
  for (const std::int32_t width : x.sent()) sum += width;
  return sum;
}

// Moves the projected tokens, with samples apart, to the ranks that scan their heads; and gradients the
// other way. Returns the transfer the scan still waits for, or none.
OpId to_heads(Builder& b, const Mixing& x, TimeCategory part, OpId after) {
  if (x.cp > 1) {
    for (const std::int32_t width : x.sent()) {
      copy(b, x, part, width, after);
      after = exchange(b, x, width);
    }
    copy(b, x, part, sent_width(x), after);  // into one tensor
    copy(b, x, part, sent_width(x));         // into the order of the sequence
    after = OpId::none();
  }
  if (x.s.x.config.batch.micro_samples == 1) return after;
  copy(b, x, part, sent_width(x), after);
  return OpId::none();
}

void gradients_from_heads(Builder& b, const Mixing& x) {
  if (x.s.x.config.batch.micro_samples > 1) copy(b, x, TimeCategory::backward, sent_width(x));
  if (x.cp == 1) return;
  copy(b, x, TimeCategory::backward, sent_width(x));
  OpId arrived = OpId::none();
  for (const std::int32_t width : x.sent()) {
    arrived = exchange(b, x, width);
    copy(b, x, TimeCategory::backward, width, arrived);
  }
  copy(b, x, TimeCategory::backward, x.projected);
}

// Moves the scan's output back to its tokens; and its gradient the other way, which costs the same.
void over_tokens_and_heads(Builder& b, const Mixing& x, TimeCategory part) {
  if (x.s.x.config.batch.micro_samples > 1) copy(b, x, part, x.inner);
  if (x.cp == 1) return;
  copy(b, x, part, x.inner);
  const OpId arrived = exchange(b, x, x.inner);
  copy(b, x, part, x.inner, arrived);
}

}  // namespace

OpId mamba_forward(Builder& b, const Shapes& s, TimeCategory part) {
  const Mixing x(s);
  const OpId projected = column_forward(b, s, part, s.hidden, x.projected);
  const OpId there = to_heads(b, x, part, projected);
  b.compute(part, x.convolution(KernelKind::convolution_forward), {there});
  b.compute(part, x.scan(KernelKind::scan_forward));
  over_tokens_and_heads(b, x, part);
  b.compute(part, x.norm(KernelKind::norm_forward));
  return row_forward(b, s, part, x.inner);
}

OpId mamba_backward(Builder& b, const Shapes& s, const GradientReady& ready) {
  const Mixing x(s);
  row_backward(b, s, x.inner, ready);
  b.compute(TimeCategory::backward, x.norm(KernelKind::norm_backward));
  over_tokens_and_heads(b, x, TimeCategory::backward);
  b.compute(TimeCategory::backward, x.convolution(KernelKind::convolution_forward));
  b.compute(TimeCategory::backward, x.scan(KernelKind::scan_backward));
  b.compute(TimeCategory::backward, x.convolution(KernelKind::convolution_backward));
  gradients_from_heads(b, x);
  return column_backward(b, s, s.hidden, x.projected, ready);
}

void mamba_weight_gradients(Builder& b, const Shapes& s, const GradientReady& ready) {
  const Mixing x(s);
  weight_gradient(b, s, x.inner, s.hidden, s.rows, ready);
  weight_gradient(b, s, s.hidden, x.projected, s.rows, ready);
}

}  // namespace echo::workload
