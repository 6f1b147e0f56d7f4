// An all-to-all dispatcher sends every copy by itself: copies are sorted by expert before they leave, sorted
// again by local expert where a rank holds several, and the sums over a token's copies are formed where the
// token came from. (Megatron-LM core/transformer/moe/token_dispatcher.py, MoEAlltoAllTokenDispatcher.)
//
// DeepEP and HybridEP (MoEFlexTokenDispatcher) take the tokens as they are and send one to each rank that
// holds one of its experts, once, however many those are:
//     D = R (1 - (1 - 1/R)^k)   ranks for k choices among R ranks
// (training/layout/expert_load.hpp; a router limited to some groups of experts reaches fewer). On arrival a
// permutation copies them to the order of local experts; behind the experts the reverse sums a rank's copies
// of a token, and the transfer back sums over ranks. Across nodes a token is sent once to each node, from a
// rank to the rank of the same index there, which passes it on over NVLink: the two legs are stages of one
// kernel, worked chunk by chunk, so together they take as long as the longer one.
// Source: deepseek-ai/DeepEP README.md and csrc/kernels/internode.cu (forwarding warps), and the branch
// hybrid-ep, Hybrid-EP_Implementation.md.
//
// 8-bit products need each expert's rows in multiples of 16 or 32. Megatron copies tokens to padded places,
// and results back (fp8_padding, fp8_unpadding); HybridEP's permutation leaves room for them itself
// (pad_multiple). Neglected: the probabilities that accompany the tokens (4 bytes each), the preprocessing of
// the routing map.
#include "workload/mixture/exchange.hpp"

namespace echo::workload {

using ops::CollectiveKind;
using ops::KernelKey;
using ops::KernelKind;

OpId over(Builder& b, const machine::GroupSpan& group, CollectiveKind kind, std::int64_t bytes, OpId after) {
  if (group.ranks == 1) return after;
  return b.communicate(Lane::expert, TimeCategory::ep_comm,
                       {.kind = kind, .payload = Bytes(bytes), .group = group}, {after});
}

namespace {

// Transfers between the ranks of an expert group, in either direction.
OpId exchange(Builder& b, const Mixture& x, OpId after) {
  const training::RankLayout& layout = x.s.x.layout;
  if (!x.is_dispatched_whole())
    return over(b, layout.expert, CollectiveKind::all_to_all, x.bytes_of(x.received), after);
  const std::int64_t inside = x.bytes_of(x.reached);
  if (layout.expert_across.ranks == 1)
    return over(b, layout.expert, CollectiveKind::all_to_all, inside, after);
  const double crossing = static_cast<double>(x.bytes_of(x.tokens)) * x.nodes_per_token();
  ops::CollectiveQuery query{.kind = CollectiveKind::all_to_all,
                             .payload = Bytes(std::llround(crossing)),
                             .group = layout.expert_across};
  if (layout.expert_within.ranks > 1) query.relay = {.payload = Bytes(inside), .group = layout.expert_within};
  return b.communicate(Lane::expert, TimeCategory::ep_comm, query, {after});
}

}  // namespace

OpId dispatch(Builder& b, const Mixture& x, OpId after) {
  const OpId sent = exchange(b, x, after);
  return over(b, x.s.x.layout.expert_tensor, CollectiveKind::all_gather, x.bytes_of(x.rows), sent);
}

OpId combine(Builder& b, const Mixture& x, OpId after) {
  const OpId summed =
      over(b, x.s.x.layout.expert_tensor, CollectiveKind::reduce_scatter, x.bytes_of(x.rows), after);
  return exchange(b, x, summed);
}

void sort_copies(Builder& b, const Mixture& x, TimeCategory part, bool towards, OpId need) {
  if (x.is_dispatched_whole())
    b.hold_compute(need);
  else
    b.compute(part, x.sorting(towards ? KernelKind::permute : KernelKind::unpermute), {need});
}

void reorder(Builder& b, const Mixture& x, TimeCategory part, OpId arrived) {
  const KernelKey copy = x.s.op(KernelKind::elementwise, x.rows, x.s.hidden);
  if (x.is_dispatched_whole()) {  // tokens read and copies written, or the other way
    KernelKey permutation = copy;
    permutation.style = ops::KernelStyle::fused;
    // HybridEP permutes by itself.
    if (x.calls(ops::CommKernel::deepep)) permutation.kind = KernelKind::permute, permutation.groups = 1;
    permutation.m = (x.reached * x.etp + x.rows) / 2;
    b.compute(part, permutation, {arrived});
  } else if (x.experts > 1 && x.ep * x.etp > 1) {
    b.compute(part, copy, {arrived});
  }
  if (x.pads_apart()) b.compute(part, copy, {arrived});
}

}  // namespace echo::workload
