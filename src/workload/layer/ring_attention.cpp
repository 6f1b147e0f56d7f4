// Ring attention with causal load balancing: the sequence is cut into 2 c equal pieces and rank i holds
// pieces i and 2c - 1 - i, so every rank has the same work. There are as many steps as ranks. In one of them
// a rank attends to its own keys (causal), in each of the others to those of another rank, where the mask
// leaves half of the (query, key) pairs: on ranks after the owner of the keys, all queries with one piece of
// the keys; on ranks before it, half of the queries with both pieces. The modelled rank is the last one, all
// of whose steps are of the first sort: it has the most to add up.
//
// Forward: while a step is computed the next keys and values are transferred. Steps alternate between two
// streams, and a transfer waits for the keys it passes on and for the op of its stream two steps before.
// Each step's statistics are merged as it ends, the outputs at the end. Backward goes round once more on one
// stream, the rank's own keys last: the transfer beside a step carries the next keys and, from the second
// step on, the gradients summed so far, to which this step's are added when they arrive; the last one
// carries gradients alone. Sources: Liu et al. 2023 (ring attention); Transformer Engine,
// context_parallel.py, AttnFuncWithCPAndKVP2P. Neglected: that a step's attention uses the SMs that the last
// thread blocks of the step before leave idle (the purpose of the second stream).
#include "workload/layer/ring_attention.hpp"

namespace echo::workload {

namespace {

using ops::KernelKind;

// Sends keys, values or their gradients to the next rank of the ring.
OpId pass_on(Builder& b, const Shapes& s, std::int64_t bytes, OpId arrived, OpId done) {
  const machine::GroupSpan& ring = s.x.layout.context_outer;
  ops::CollectiveQuery query{.kind = ops::CollectiveKind::send_recv, .payload = Bytes(bytes)};
  query.group = {.ranks = 2, .nodes = 1, .ranks_per_node = 2, .stride = ring.stride};
  if (ring.nodes > 1) {  // the slowest hop of the ring sets its pace
    query.group.nodes = 2;
    query.group.ranks_per_node = 1;
    query.group.sharing = ring.sharing;
    query.group.extent = ring.extent;
  }
  return b.communicate(Lane::context, TimeCategory::cp_comm, query, {arrived, done});
}

std::int64_t keys_and_values(const Shapes& s) { return s.exchanged_bytes(s.key_width + s.value_width); }

std::int32_t half(std::int32_t n) { return (n + 1) / 2; }

// Copies keys and values into one buffer, or gradients into theirs.
OpId copy(Builder& b, const Shapes& s, TimeCategory part, std::int32_t rows, std::int32_t width, OpId after) {
  return b.compute(part, s.exchanged_copy(rows, width), {after});
}

// Merges the statistics of a step's scores, one fp32 number per row and head, into those of the steps
// before.
void merge_statistics(Builder& b, const Shapes& s, TimeCategory part) {
  ops::KernelKey key = s.op(KernelKind::merge, s.rows, s.heads);
  key.precision = machine::Precision::fp32;
  b.compute(part, key);
}

}  // namespace

void ring_attention_forward(Builder& b, const Shapes& s, TimeCategory part, OpId after) {
  const std::int32_t steps = s.x.layout.context_outer.ranks;
  const OpId packed = copy(b, s, part, s.rows, s.key_width + s.value_width, after);
  OpId arrived = OpId::none(), before = packed,
       before_last = packed;  // the last attention and the one before it
  for (std::int32_t step = 0; step < steps; ++step) {
    const OpId next =
        step + 1 < steps ? pass_on(b, s, keys_and_values(s), arrived, before_last) : OpId::none();
    const bool own = step == 0;
    before_last = before;
    before = b.compute(part,
                       s.flash(KernelKind::attention_forward, s.tokens, own ? s.tokens : half(s.tokens), own),
                       {arrived});
    if (!own) merge_statistics(b, s, part);
    arrived = next;
  }
  copy(b, s, part, s.rows, s.context_width, OpId::none());  // the first step's output, rescaled
  for (std::int32_t step = 1; step < steps; ++step)
    b.compute(part, s.op(KernelKind::merge, s.rows, s.context_width));
}

void ring_attention_backward(Builder& b, const Shapes& s) {
  const std::int32_t steps = s.x.layout.context_outer.ranks, width = s.key_width + s.value_width;
  copy(b, s, TimeCategory::backward, s.rows, width, OpId::none());
  OpId arrived = OpId::none();
  for (std::int32_t step = 0; step < steps; ++step) {
    const bool first = step == 0, own = step + 1 == steps;
    const std::int64_t bytes = keys_and_values(s) * (first || own ? 1 : 2);
    const OpId next = pass_on(b, s, bytes, arrived, b.last_compute());
    b.compute(TimeCategory::backward,
              s.flash(KernelKind::attention_backward, s.tokens, own ? s.tokens : half(s.tokens), own),
              {arrived});
    b.compute(TimeCategory::backward,
              s.op(first ? KernelKind::elementwise : KernelKind::merge, s.rows, s.query_width));
    const std::int32_t rows = own ? s.rows : half(s.rows);
    if (first)
      copy(b, s, TimeCategory::backward, rows, width, OpId::none());
    else
      b.compute(TimeCategory::backward, s.op(KernelKind::merge, rows, width), {next});
    arrived = next;
  }
}

}  // namespace echo::workload
