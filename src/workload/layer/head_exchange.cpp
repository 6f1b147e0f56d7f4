// Each tensor is copied so that the data for one rank is contiguous, sent, and copied again into the order
// of the sequence (of heads, on the way back). Tensors follow each other: the copy of one runs beside the
// all-to-all of the one before. The first kernel after them needs the last copy, so most of the time is not
// hidden. Sources: Jacobs et al. 2023 (DeepSpeed-Ulysses, section 3); Transformer Engine,
// context_parallel.py, flash_attn_a2a_communicate.
#include "workload/layer/head_exchange.hpp"

#include <array>

#include "base/contract.hpp"

namespace echo::workload {

Shapes with_heads_shared(const Shapes& s, const machine::GroupSpan& group) {
  Shapes shared = s;
  const std::int32_t ranks = group.ranks;
  shared.tokens *= ranks, shared.rows *= ranks;
  shared.query_width /= ranks, shared.key_width /= ranks;
  shared.value_width /= ranks, shared.context_width /= ranks;
  shared.heads /= ranks, shared.attention_batch /= ranks, shared.kv_groups /= ranks;
  return shared;
}

void exchange_heads(Builder& b, const Shapes& s, TimeCategory part, const machine::GroupSpan& group,
                    std::initializer_list<std::int32_t> widths, OpId after) {
  std::array<OpId, 8> arrived{};
  ECHO_EXPECT(widths.size() <= arrived.size());
  std::size_t sent = 0;
  for (const std::int32_t width : widths) {
    b.compute(part, s.exchanged_copy(s.rows, width), {after});
    after = OpId::none();
    arrived[sent++] = b.communicate(
        Lane::context, TimeCategory::cp_comm,
        {.kind = ops::CollectiveKind::all_to_all, .payload = Bytes(s.exchanged_bytes(width)), .group = group},
        {b.last_compute()});
  }
  sent = 0;
  for (const std::int32_t width : widths) b.compute(part, s.exchanged_copy(s.rows, width), {arrived[sent++]});
}

}  // namespace echo::workload
