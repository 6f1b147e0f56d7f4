// Attention over the whole sequence, fused (flash) or as separate kernels, and over a sequence that
// context-parallel ranks share.
//
// Context parallelism is ring attention with causal load balancing: of 2 c equal pieces of the sequence rank
// i holds pieces i and 2c - 1 - i, so every rank has the same work. In step 0 a rank attends to its own keys
// (causal); in each of the c - 1 following steps to the keys of the rank before, of which the mask leaves
// half of the (query, key) pairs. While a step is computed the next keys and values travel; backward sends
// keys and values round again and their gradients after them. Sources: Liu et al. 2023 (ring attention);
// Transformer Engine, context_parallel.py (cp_comm_type = p2p). Neglected: the correction of partial softmax
// results between steps (a few elementwise kernels of one column a head).
#include "workload/core_attention.hpp"

namespace echo::workload {

namespace {

using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

// Keys and values (`copies` = 1), or both with their gradients (2), to the next rank of the ring.
ops::CollectiveQuery ring_transfer(const Shapes& s, std::int64_t copies) {
  const machine::GroupSpan& ring = s.x.layout.context;
  ops::CollectiveQuery query{.kind = ops::CollectiveKind::send_recv,
                             .payload = Bytes(copies * s.bytes(s.key_width + s.value_width)),
                             .settings = s.x.config.comm};
  query.group = {.ranks = 2, .nodes = 1, .ranks_per_node = 2, .stride = ring.stride};
  if (ring.nodes > 1) {  // the slowest hop of the ring sets its pace
    query.group.nodes = 2;
    query.group.ranks_per_node = 1;
    query.group.sharing = ring.sharing;
  }
  return query;
}

void ring_attention(Builder& b, const Shapes& s, Part part, KernelKind kind, OpIndex after) {
  const std::int32_t steps = s.x.config.degrees.context;
  const std::int64_t copies = kind == KernelKind::attention_backward ? 2 : 1;
  OpIndex arrived = after;
  for (std::int32_t step = 0; step < steps; ++step) {
    // The keys for the next step leave as soon as they are here and the step before has been computed.
    OpIndex next = -1;
    if (step + 1 < steps)
      next =
          b.communicate(Lane::context, Part::cp_comm, ring_transfer(s, copies), {b.last_compute(), arrived});
    b.compute(part, s.flash(kind, s.tokens, step == 0 ? s.tokens : (s.tokens + 1) / 2, step == 0), {arrived});
    arrived = next;
  }
}

}  // namespace

void core_attention_forward(Builder& b, const Shapes& s, Part part, OpIndex after) {
  if (s.x.config.degrees.context > 1) {
    ring_attention(b, s, part, KernelKind::attention_forward, after);
    return;
  }
  if (s.x.config.flash_attention) {
    b.compute(part, s.flash(KernelKind::attention_forward, s.tokens, s.tokens, true), {after});
    return;
  }
  const std::int32_t tokens = s.tokens, head = s.x.model.head_dim, batch = s.attention_batch;
  b.compute(part, s.gemm(tokens, tokens, head, GemmLayout::tn, batch), {after});
  KernelKey softmax = s.op(KernelKind::softmax_forward, tokens, tokens, batch);
  softmax.causal = true;
  b.compute(part, softmax);
  if (s.dropout) b.compute(part, s.op(KernelKind::dropout_forward, tokens, tokens, batch));
  b.compute(part, s.gemm(tokens, head, tokens, GemmLayout::nn, batch));
  b.compute(part, s.op(KernelKind::elementwise, s.rows,
                       s.context_width));  // context back to [tokens, heads * head_dim]
}

void core_attention_backward(Builder& b, const Shapes& s) {
  if (s.x.config.degrees.context > 1) {
    ring_attention(b, s, Part::backward, KernelKind::attention_backward, -1);
    return;
  }
  if (s.x.config.flash_attention) {
    b.compute(Part::backward, s.flash(KernelKind::attention_backward, s.tokens, s.tokens, true));
    return;
  }
  const std::int32_t tokens = s.tokens, head = s.x.model.head_dim, batch = s.attention_batch;
  b.compute(Part::backward, s.op(KernelKind::elementwise, s.rows, s.context_width));
  b.compute(Part::backward, s.gemm(tokens, tokens, head, GemmLayout::tn, batch));  // scores' gradient
  b.compute(Part::backward, s.gemm(tokens, head, tokens, GemmLayout::nt, batch));  // values' gradient
  if (s.dropout) b.compute(Part::backward, s.op(KernelKind::dropout_backward, tokens, tokens, batch));
  KernelKey softmax = s.op(KernelKind::softmax_backward, tokens, tokens, batch);
  softmax.causal = true;
  b.compute(Part::backward, softmax);
  b.compute(Part::backward, s.gemm(tokens, head, tokens, GemmLayout::nn, batch));  // queries' gradient
  b.compute(Part::backward, s.gemm(tokens, head, tokens, GemmLayout::nt, batch));  // keys' gradient
}

}  // namespace echo::workload
