// Attention over the whole sequence, fused (flash) or as separate kernels, and over a sequence that
// context-parallel ranks share. They pass keys and values round a ring, gather them, exchange tokens for
// heads (each rank then has the whole sequence of some heads), or exchange among neighbours and use a ring
// between groups of neighbours. In each case the sequence is cut into 2 c equal pieces, and rank i of c
// holds pieces i and 2c - 1 - i. Sources: Megatron-LM --cp-comm-type; Transformer Engine,
// context_parallel.py. Fused attention of 8 bits casts queries, keys and values before they are exchanged,
// and the output's gradient; its output and its three gradients leave it in 8 bits. Neglected: in separate
// kernels a window masks scores that are computed all the same.
#include "workload/layer/core_attention.hpp"

#include "workload/layer/casts.hpp"
#include "workload/layer/gathered_attention.hpp"
#include "workload/layer/head_exchange.hpp"
#include "workload/layer/ring_attention.hpp"

namespace echo::workload {

namespace {

using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;
using training::Mixer;

ops::KernelKey whole(const Shapes& s, KernelKind kind, Mixer mixer) {
  return s.limited(s.flash(kind, s.tokens, s.tokens, true), mixer);
}

// Megatron's fused softmax accepts sequences of up to 4096 tokens and multiples of four matrices, of 16-bit
// scores; all other cases use PyTorch's kernels one by one. Source: Megatron-LM
// megatron/core/fusions/fused_softmax.py, FusedScaleMaskSoftmax.is_kernel_available.
KernelKey softmax_of(const Shapes& s, KernelKind kind) {
  KernelKey key = s.op(kind, s.tokens, s.tokens, s.attention_batch);
  key.causal = true;
  const bool is_taken = s.tokens <= 4096 && s.tokens % 4 == 0 && s.attention_batch % 4 == 0;
  if (key.style == ops::KernelStyle::fused && !is_taken) key.style = ops::KernelStyle::eager;
  return key;
}

bool gathers(const Shapes& s) { return s.x.config.recipe.cp_comm == training::ContextComm::all_gather; }

// Attention over the part that a rank works on after an exchange: in one piece, or round the ring.
void shared_forward(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part, OpId after) {
  if (s.x.layout.context_outer.ranks > 1)
    ring_attention_forward(b, s, part, after);
  else
    b.compute(part, whole(s, KernelKind::attention_forward, mixer), {after});
}

void context_forward(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part, OpId after) {
  const machine::GroupSpan& group = s.x.layout.context_inner;
  if (gathers(s)) return gathered_attention_forward(b, s, mixer, part, after);
  if (group.ranks == 1) return shared_forward(b, s, mixer, part, after);
  exchange_heads(b, s, part, group, {s.query_width, s.key_width, s.value_width}, after);
  shared_forward(b, with_heads_shared(s, group), mixer, part, OpId::none());
  exchange_heads(b, s, part, group, {s.context_width});
}

void shared_backward(Builder& b, const Shapes& s, Mixer mixer) {
  if (s.x.layout.context_outer.ranks > 1)
    ring_attention_backward(b, s);
  else
    b.compute(TimeCategory::backward, whole(s, KernelKind::attention_backward, mixer));
}

void context_backward(Builder& b, const Shapes& s, Mixer mixer) {
  const machine::GroupSpan& group = s.x.layout.context_inner;
  if (gathers(s)) return gathered_attention_backward(b, s, mixer);
  if (group.ranks > 1) exchange_heads(b, s, TimeCategory::backward, group, {s.context_width});
  shared_backward(b, group.ranks > 1 ? with_heads_shared(s, group) : s, mixer);
  if (group.ranks > 1)
    exchange_heads(b, s, TimeCategory::backward, group, {s.query_width, s.key_width, s.value_width});
}

void forward_of(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part, OpId after) {
  if (s.x.config.degrees.context > 1) return context_forward(b, s, mixer, part, after);
  if (s.x.config.flash_attention) {
    b.compute(part, whole(s, KernelKind::attention_forward, mixer), {after});
    return;
  }
  const std::int32_t tokens = s.tokens, head = s.x.model.head_dim, batch = s.attention_batch;
  b.compute(part, s.gemm(tokens, tokens, head, GemmLayout::tn, batch), {after});
  b.compute(part, softmax_of(s, KernelKind::softmax_forward));
  if (s.dropout) b.compute(part, s.op(KernelKind::dropout_forward, tokens, tokens, batch));
  b.compute(part, s.gemm(tokens, head, tokens, GemmLayout::nn, batch));
  b.compute(part, s.op(KernelKind::elementwise, s.rows,
                       s.context_width));  // context back to [tokens, heads * head_dim]
}

void backward_of(Builder& b, const Shapes& s, Mixer mixer) {
  if (s.x.config.degrees.context > 1) return context_backward(b, s, mixer);
  if (s.x.config.flash_attention) {
    b.compute(TimeCategory::backward, whole(s, KernelKind::attention_backward, mixer));
    return;
  }
  const std::int32_t tokens = s.tokens, head = s.x.model.head_dim, batch = s.attention_batch;
  b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.rows, s.context_width));
  b.compute(TimeCategory::backward, s.gemm(tokens, tokens, head, GemmLayout::tn, batch));  // scores' gradient
  b.compute(TimeCategory::backward, s.gemm(tokens, head, tokens, GemmLayout::nt, batch));  // values' gradient
  if (s.dropout) b.compute(TimeCategory::backward, s.op(KernelKind::dropout_backward, tokens, tokens, batch));
  b.compute(TimeCategory::backward, softmax_of(s, KernelKind::softmax_backward));
  b.compute(TimeCategory::backward,
            s.gemm(tokens, head, tokens, GemmLayout::nn, batch));  // queries' gradient
  b.compute(TimeCategory::backward, s.gemm(tokens, head, tokens, GemmLayout::nt, batch));  // keys' gradient
}

}  // namespace

void core_attention_forward(Builder& b, const Shapes& s, Mixer mixer, TimeCategory part, OpId after) {
  forward_of(b, s, mixer, part,
             cast_attention(b, s, part, s.query_width + s.key_width + s.value_width, after));
  cast_attention(b, s, part, s.context_width);
}

void core_attention_backward(Builder& b, const Shapes& s, Mixer mixer) {
  cast_attention(b, s, TimeCategory::backward, s.context_width);
  backward_of(b, s, mixer);
  cast_attention(b, s, TimeCategory::backward, s.query_width + s.key_width + s.value_width);
}

}  // namespace echo::workload
