// Keys and values are gathered over the context group and put into the order of the sequence; each of a
// rank's two pieces of queries attends to the part it may see, aligned with its end. Nothing overlaps:
// gathers come before the first kernel, and in backward once more, where gradients of all keys are summed
// over the group (reduce-scatter) after the last kernel. It costs little where few key-value heads serve
// many query heads. The modelled rank is the one that holds the two middle pieces; under a window it sees
// the most. Sources: Grattafiori et al. 2024 (Llama 3, section 3.3.2); Transformer Engine,
// context_parallel.py, AttnFuncWithCPAndKVAllGather. Neglected: that the two pieces run on two streams, so
// that one uses the SMs that the other's last thread blocks leave idle.
#include "workload/layer/gathered_attention.hpp"

#include <algorithm>
#include <array>

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::KernelKind;

OpId over_context(Builder& b, const Shapes& s, CollectiveKind kind, std::int32_t width, OpId after,
                  OpId and_after = OpId::none()) {
  const machine::GroupSpan& group = s.x.layout.context;
  return b.communicate(Lane::context, TimeCategory::cp_comm,
                       {.kind = kind, .payload = Bytes(s.bytes(width) * group.ranks), .group = group},
                       {after, and_after});
}

// Copies between the order of ranks, each with an early and a late piece, and that of the sequence.
void reorder(Builder& b, const Shapes& s, TimeCategory part, std::int32_t width, OpId after = OpId::none()) {
  b.compute(part, s.op(KernelKind::elementwise, s.rows, width, s.x.config.degrees.context), {after});
}

void gather_keys_and_values(Builder& b, const Shapes& s, TimeCategory part, OpId after) {
  const OpId keys = over_context(b, s, CollectiveKind::all_gather, s.key_width, after, b.last_compute());
  const OpId values = over_context(b, s, CollectiveKind::all_gather, s.value_width, keys);
  reorder(b, s, part, s.key_width, values);
  reorder(b, s, part, s.value_width);
}

// Attention of a piece of the queries to the keys it may see.
ops::KernelKey piece(const Shapes& s, training::Mixer mixer, KernelKind kind, std::int32_t end) {
  const std::int32_t queries = s.tokens / 2, seen = end * queries;
  ops::KernelKey key = s.limited(s.flash(kind, queries, seen, true), mixer);
  if (key.span > 0 && key.chunked)  // from the start of the chunk, or document, of the first query
    key.n = seen - (seen - queries) / key.span * key.span;
  else if (key.span > 0)
    key.n = std::min(seen, queries + key.span);
  return key;
}

std::array<std::int32_t, 2> ends(const Shapes& s) {
  const std::int32_t ranks = s.x.config.degrees.context;
  return {ranks, ranks + 1};
}

}  // namespace

void gathered_attention_forward(Builder& b, const Shapes& s, training::Mixer mixer, TimeCategory part,
                                OpId after) {
  gather_keys_and_values(b, s, part, after);
  for (const std::int32_t end : ends(s)) {
    b.compute(part, piece(s, mixer, KernelKind::attention_forward, end));
    b.compute(part, s.op(KernelKind::elementwise, s.rows / 2, s.context_width));  // into the whole output
  }
}

void gathered_attention_backward(Builder& b, const Shapes& s, training::Mixer mixer) {
  const std::int32_t width = s.key_width + s.value_width;
  gather_keys_and_values(b, s, TimeCategory::backward, OpId::none());
  b.compute(TimeCategory::backward,
            s.op(KernelKind::memset_zero, s.rows, width * machine::element_bytes(s.x.config.precision),
                 s.x.config.degrees.context));
  for (const std::int32_t end : ends(s)) {
    const ops::KernelKey key = piece(s, mixer, KernelKind::attention_backward, end);
    b.compute(TimeCategory::backward, key);
    b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.rows / 2, s.query_width));
    b.compute(TimeCategory::backward, s.op(KernelKind::merge, key.n, width, s.x.config.batch.micro_samples));
  }
  reorder(b, s, TimeCategory::backward, s.key_width);
  reorder(b, s, TimeCategory::backward, s.value_width);
  const OpId keys = over_context(b, s, CollectiveKind::reduce_scatter, s.key_width, b.last_compute());
  const OpId values = over_context(b, s, CollectiveKind::reduce_scatter, s.value_width, keys);
  // Copies the three gradients into one tensor, since the projection produced queries, keys and values as
  // one.
  b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, s.rows, s.query_width + width), {values});
}

}  // namespace echo::workload
