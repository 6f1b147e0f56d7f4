// Plain attention consists of one column-parallel product for queries, keys and values, rotary positions,
// the attention core, and a row-parallel projection.
//
// Latent attention first projects a token down to a narrow query latent and a narrow key-value latent with
// one rotary key for all heads (every tensor rank holds these weights whole and works on its own part of the
// sequence), normalizes both, and widens them head by head in two column-parallel products; rotary positions
// are applied only to `rope_dim` channels of each query head and the shared key, and keys and values are
// then copied together head by head. Sources: DeepSeek-V2, section 2.1; Megatron-LM
// core/transformer/multi_latent_attention.py (down-projections are "duplicated" linears). Neglected: the sum
// of the shared key's gradient over the group.
#include "workload/layer/attention.hpp"

#include <algorithm>

#include "workload/layer/casts.hpp"
#include "workload/layer/core_attention.hpp"
#include "workload/layer/parallel_linear.hpp"

namespace echo::workload {

namespace {

using ops::GemmLayout;
using ops::KernelKind;
using training::Mixer;
using training::Module;

std::int32_t query_key_value(const Shapes& s) { return s.query_width + s.key_width + s.value_width; }

// Whether one kernel reads the joint product, rotates queries and keys, and writes queries, keys and values;
// backward it reads their gradients, and writes that of the joint product. Source: Transformer Engine
// common/fused_rope/fused_rope.cu, fused_qkv_rope_*_kernel; Megatron-LM core/transformer/attention.py.
bool rotates_joint_product(const Shapes& s) {
  return s.x.config.recipe.fused_qkv_rope && s.x.framework.splits_joint_projection;
}

// Rotary positions, which some models omit where all tokens are seen. Transformer Engine's fused kernel knows
// no factor beside the angles (YaRN's concentration), so Megatron rotates in PyTorch operators where there is
// one (core/models/common/embeddings/rope_utils.py, apply_rotary_pos_emb). Returns the transfer that is still
// waited for.
OpId rope(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part, OpId after = OpId::none()) {
  const training::ModelSpec& m = s.x.model;
  if (m.positions != training::Positions::rope) return after;
  if (mixer == Mixer::attention && !m.local.full_has_positions) return after;
  const std::int32_t width = s.query_width + s.key_width + (rotates_joint_product(s) ? s.value_width : 0);
  ops::KernelKey rotation = s.op(KernelKind::rope, s.rows, width);
  if (m.scaled_positions) rotation.style = ops::KernelStyle::eager;
  b.compute(part, rotation, {after});
  return OpId::none();
}

// Norm of each head of queries and keys, or of all heads together. Neglected: that tensor ranks add up the
// squares of their heads for the latter, one number per token.
OpId head_norms(Builder& b, const Shapes& s, TimeCategory part, KernelKind kind, OpId after = OpId::none()) {
  const training::ModelSpec& m = s.x.model;
  if (m.whole_query_key_norm) {
    b.compute(part, s.op(kind, s.rows, s.query_width), {after});
    b.compute(part, s.op(kind, s.rows, s.key_width));
    return OpId::none();
  }
  if (!m.query_key_norm) return after;
  const std::int32_t heads = (s.query_width + s.key_width) / m.head_dim;
  b.compute(part, s.op(kind, s.rows, m.head_dim, heads), {after});
  return OpId::none();
}

// Widths of the latent projections.
struct Latent {
  explicit Latent(const Shapes& s)
      : queries(s.x.model.latent.query_rank),
        keys_values(s.x.model.latent.key_value_rank),
        rope(s.x.model.latent.rope_dim),
        heads(s.x.model.heads / s.t),
        widened(heads * (s.x.model.latent.nope_dim + s.x.model.latent.value_dim)) {}
  std::int32_t queries, keys_values, rope, heads, widened;
};

// Rotary positions of queries and the shared key; keys and values copied together.
void latent_positions(Builder& b, const Shapes& s, const Latent& l, TimeCategory part,
                      OpId after = OpId::none()) {
  b.compute(part, s.op(KernelKind::rope, s.rows, l.heads * l.rope + l.rope), {after});
  b.compute(part, s.op(KernelKind::elementwise, s.rows, s.key_width + s.value_width));
}

// The step from the latents to queries, keys and values. `shared_key`: its transfer, or none.
void widen_latents(Builder& b, const Shapes& s, TimeCategory part, OpId shared_key = OpId::none()) {
  const Latent l(s);
  const OpId queries = column_forward(b, s, part, l.queries > 0 ? l.queries : s.hidden, s.query_width);
  const OpId widened = column_forward(b, s, part, l.keys_values, l.widened);
  latent_positions(b, s, l, part, std::max({shared_key, queries, widened}));
}

OpId latent_forward(Builder& b, const Shapes& s, TimeCategory part) {
  const Latent l(s);
  if (l.queries > 0) {
    b.compute(part, s.gemm(s.shared_rows, l.queries, s.hidden, GemmLayout::tn));
    b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, l.queries));
  }
  b.compute(part, s.gemm(s.shared_rows, l.keys_values + l.rope, s.hidden, GemmLayout::tn));
  const OpId shared_key = gather(b, s, b.last_compute(), l.rope);
  b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, l.keys_values));
  widen_latents(b, s, part, shared_key);
  return OpId::none();
}

// A product whose weight every tensor rank holds whole, on this rank's part of the sequence.
void whole_backward(Builder& b, const Shapes& s, std::int32_t width, const GradientReady& ready) {
  b.compute(TimeCategory::backward, s.gemm(s.shared_rows, s.hidden, width, GemmLayout::nn));
  if (!s.x.splits_backward) weight_gradient(b, s, s.hidden, width, s.shared_rows, ready);
}

OpId latent_backward(Builder& b, const Shapes& s, const GradientReady& ready) {
  const Latent l(s);
  latent_positions(b, s, l, TimeCategory::backward);
  const OpId keys_values = column_backward(b, s, l.keys_values, l.widened, ready);
  const OpId queries = column_backward(b, s, l.queries > 0 ? l.queries : s.hidden, s.query_width, ready);
  b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, l.keys_values),
            {keys_values});
  whole_backward(b, s, l.keys_values + l.rope, ready);
  if (l.queries > 0) {
    b.compute(TimeCategory::backward, s.op(KernelKind::norm_backward, s.shared_rows, l.queries), {queries});
    whole_backward(b, s, l.queries, ready);
  }
  b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.shared_rows, s.hidden),
            {queries});  // both gradients
  return OpId::none();
}

// Views of a joint product: queries of several heads to a key lie apart and are copied into one tensor, as
// is what a norm of heads reads; rotary positions, read as they lie, write new tensors. The gradients of the
// new tensors are joined (torch.cat). Source: Megatron-LM core/transformer/attention.py,
// get_query_key_value_tensors (query.reshape); Transformer Engine pytorch/utils.py, SplitAlongDim; the norms'
// copies: NVIDIA/Megatron-LM pull request 6459.
bool parts_queries(const Shapes& s) { return s.x.model.kv_heads < s.x.model.heads; }

OpId copy_views(Builder& b, const Shapes& s, TimeCategory part, OpId projected) {
  const bool norms = s.x.model.query_key_norm;
  const std::int32_t width = (parts_queries(s) || norms ? s.query_width : 0) + (norms ? s.key_width : 0);
  if (!s.x.framework.splits_joint_projection || rotates_joint_product(s) || width == 0) return projected;
  b.compute(part, s.op(KernelKind::elementwise, s.rows, width), {projected});
  return OpId::none();
}

void join_gradients(Builder& b, const Shapes& s) {
  const training::ModelSpec& m = s.x.model;
  const bool are_new = parts_queries(s) || m.query_key_norm || m.positions == training::Positions::rope;
  if (!s.x.framework.splits_joint_projection || rotates_joint_product(s) || !are_new) return;
  b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.rows, query_key_value(s)));
}

void copy_inputs(Builder& b, const Shapes& s, TimeCategory part) {
  if (!s.x.framework.copies_attention_inputs) return;
  b.compute(part, s.op(KernelKind::elementwise, s.rows, s.query_width + 3 * (s.key_width + s.value_width)));
}

}  // namespace

OpId attention_forward(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part) {
  OpId ready = OpId::none();
  if (s.x.model.has_latent_attention()) {
    ready = latent_forward(b, s, part);
  } else {
    const OpId projected = copy_views(b, s, part, column_forward(b, s, part, s.hidden, query_key_value(s)));
    ready = rope(b, s, mixer, part, head_norms(b, s, part, KernelKind::norm_forward, projected));
  }
  copy_inputs(b, s, part);
  core_attention_forward(b, s, mixer, part, ready);
  return row_forward(b, s, part, s.context_width);
}

OpId attention_backward(Builder& b, const Shapes& s, Mixer mixer, const GradientReady& ready) {
  if (s.x.model.has_latent_attention() && s.recomputes(Module::mla_up_proj))
    widen_latents(b, s, TimeCategory::recompute);
  if (s.recomputes(Module::core_attn)) core_attention_forward(b, s, mixer, TimeCategory::recompute);
  row_backward(b, s, s.context_width, ready);
  core_attention_backward(b, s, mixer);
  if (s.x.model.has_latent_attention()) return latent_backward(b, s, ready);
  copy_inputs(b, s, TimeCategory::backward);
  rope(b, s, mixer, TimeCategory::backward);
  head_norms(b, s, TimeCategory::backward, KernelKind::norm_backward);
  join_gradients(b, s);
  return column_backward(b, s, s.hidden, query_key_value(s), ready);
}

// The core's output is kept, and so is that of a reduce-scatter. torchtitan's list of kept operators missed
// cuDNN's attention until December 2025 (pull request 2095).
OpId attention_per_op(Builder& b, const Shapes& s, Mixer mixer, KeptProducts& kept) {
  const TimeCategory part = TimeCategory::recompute;
  if (s.x.model.has_latent_attention()) {
    const Latent l(s);
    OpId queries = OpId::none();
    if (l.queries > 0) {
      kept.pass(b, s.gemm(s.shared_rows, l.queries, s.hidden, GemmLayout::tn));
      b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, l.queries));
    }
    const std::int32_t inputs = l.queries > 0 ? l.queries : s.hidden;
    queries = cast_and_gather(b, s, part, inputs, Origin::norm);
    kept.pass(b, s.gemm(s.rows, s.query_width, inputs, GemmLayout::tn), queries);
    kept.pass(b, s.gemm(s.shared_rows, l.keys_values + l.rope, s.hidden, GemmLayout::tn));
    b.compute(part, s.op(KernelKind::norm_forward, s.shared_rows, l.keys_values));
    const OpId latents = cast_and_gather(b, s, part, l.keys_values + l.rope, Origin::norm);
    kept.pass(b, s.gemm(s.rows, l.widened, l.keys_values, GemmLayout::tn), latents);
    latent_positions(b, s, l, part, std::max(queries, latents));
  } else {
    const OpId input = cast_and_gather(b, s, part, s.hidden, Origin::norm);
    for (const std::int32_t width : {s.query_width, s.key_width, s.value_width})
      kept.pass(b, s.gemm(s.rows, width, s.hidden, GemmLayout::tn), input);
    head_norms(b, s, part, KernelKind::norm_forward, input);
    rope(b, s, mixer, part, input);
  }
  if (s.x.framework.repeats_native_attention && s.runs_native_attention())
    core_attention_forward(b, s, mixer, part);
  cast_to_8_bit(b, s, part, s.rows, s.context_width);
  kept.pass(b, s.gemm(s.rows, s.hidden, s.context_width, GemmLayout::tn));
  return s.sequence_parallel ? OpId::none() : sum(b, s, b.last_compute(), s.hidden);
}

void attention_weight_gradients(Builder& b, const Shapes& s, const GradientReady& ready) {
  weight_gradient(b, s, s.context_width, s.hidden, s.rows, ready);
  if (!s.x.model.has_latent_attention()) {
    weight_gradient(b, s, s.hidden, query_key_value(s), s.rows, ready);
    return;
  }
  const Latent l(s);
  weight_gradient(b, s, l.keys_values, l.widened, s.rows, ready);
  weight_gradient(b, s, l.queries > 0 ? l.queries : s.hidden, s.query_width, s.rows, ready);
  weight_gradient(b, s, s.hidden, l.keys_values + l.rope, s.shared_rows, ready);
  if (l.queries > 0) weight_gradient(b, s, s.hidden, l.queries, s.shared_rows, ready);
}

}  // namespace echo::workload
