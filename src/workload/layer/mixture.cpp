// A token passes a router (a small product, scores in fp32), is copied for each of its `experts_per_token`
// experts, and the copies are sorted by expert and sent to the ranks that hold them: an all-to-all over the
// expert group and, where experts are themselves split, an all-gather over the expert-tensor group. There
// they are sorted again by local expert, pass two grouped products with the activation between, and return
// the same way (reduce-scatter, all-to-all), to be summed per token. Before the tokens leave, ranks exchange
// the numbers of tokens they will send, and the host waits for the counts. Backward is the mirror image; a
// rank's input and weight gradients both precede the transfer of the input gradient, as in the autograd
// graph. Shared experts are a plain feed-forward net of the tensor group; they run before the router or,
// where the framework overlaps them (--moe-shared-expert-overlap), beside the all-to-alls: first product and
// activation beside the dispatch, second beside the combine.
//
// A node-aware dispatcher (DeepEP, HybridEP) sends a token once to each node that holds one of its experts,
// from a rank to the rank of the same index there, and distributes it over NVLink; on the way back, partial
// sums are formed in the node first. The two legs, which such kernels pipeline chunk by chunk, follow each
// other here.
//
// Loads are even, as with forced balance, unless the recipe sets how uneven they are. The modelled rank is
// then the busiest of its group (training/layout/expert_load.hpp): its all-to-alls carry the tokens that
// arrive there, and the group's products work on its rows, divided evenly among its experts (products of a
// group share the SMs, so that only the padding of partial tiles would differ). With a capacity factor every
// expert gets exactly its capacity from each sender, more is dropped and less padded (both
// --moe-expert-capacity-factor and --moe-pad-expert-input-to-capacity); no counts are exchanged then.
// Sources: Megatron-LM core/transformer/moe/{moe_layer,router,token_dispatcher,experts,shared_experts}.py
// (MoEAlltoAllTokenDispatcher); Transformer Engine GroupedLinear. Neglected: the probabilities that
// accompany the tokens (4 bytes each), the stall of the host's wait itself, the pipelining of the two legs
// of a dispatch per node.
#include "workload/layer/mixture.hpp"

#include <algorithm>
#include <cmath>

#include "workload/layer/casts.hpp"
#include "workload/layer/parallel_linear.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

// Token counts and widths on one rank.
struct Mixture {
  explicit Mixture(const Shapes& shapes)
      : s(shapes), router(shapes), ep(s.x.config.degrees.expert), etp(s.x.config.degrees.expert_tensor) {
    const training::ModelSpec& m = s.x.model;
    router.sixteen_bit = true;
    experts = m.experts / ep;
    tokens = s.shared_rows;
    copies = m.experts_per_token;
    received = static_cast<std::int32_t>(std::lround(tokens * copies * s.x.load.rank));
    if (is_capped())
      received = static_cast<std::int32_t>(training::expert_capacity(s.x.config, m, tokens)) * m.experts;
    rows = received * etp;
    rows_each = (rows + experts - 1) / experts;
    ffn = m.expert_ffn_hidden / etp;
    up = m.gated_ffn ? 2 * ffn : ffn;
    shared_ffn = m.shared_expert_hidden / s.t;
    shared_up = m.gated_ffn ? 2 * shared_ffn : shared_ffn;
  }
  [[nodiscard]] bool has_shared() const { return shared_ffn > 0; }
  [[nodiscard]] bool is_capped() const { return s.x.config.recipe.capacity_permille > 0; }
  [[nodiscard]] bool overlaps_shared() const {
    return has_shared() && ep > 1 && s.x.config.recipe.overlaps_shared_experts;
  }

  // Copies between tokens and their copies in the order of experts.
  [[nodiscard]] KernelKey sorting(KernelKind kind) const {
    KernelKey key = s.op(kind, tokens, s.hidden);
    key.style = ops::KernelStyle::fused;
    key.groups = copies;
    return key;
  }
  // The router's scores are fp32 and, without --moe-router-fusion, chains of operators that the framework
  // compiles.
  [[nodiscard]] KernelKey routing(KernelKind kind) const {
    KernelKey key = s.op(kind, tokens, s.x.model.experts);
    key.style = std::max(key.style, ops::KernelStyle::compiled);
    return key;
  }
  [[nodiscard]] KernelKey activation(KernelKind kind, std::int32_t of_rows, std::int32_t width) const {
    KernelKey key = s.op(kind, of_rows, width);
    key.gated = s.x.model.gated_ffn;
    return key;
  }

  const Shapes& s;
  Shapes router;  // whose products stay in 16 bit
  std::int32_t ep, etp;
  std::int32_t experts = 0, tokens = 0, copies = 0;  // experts this rank holds; tokens it routes
  std::int32_t received = 0;                         // copies that come to it, and over the group go from it
  std::int32_t rows = 0, rows_each = 0;              // copies its experts work on, and each of them
  std::int32_t ffn = 0, up = 0, shared_ffn = 0, shared_up = 0;
};

OpId over(Builder& b, const machine::GroupSpan& group, CollectiveKind kind, std::int64_t bytes, OpId after) {
  if (group.ranks == 1) return after;
  return b.communicate(Lane::expert, TimeCategory::ep_comm,
                       {.kind = kind, .payload = Bytes(bytes), .group = group}, {after});
}

std::int64_t bytes_of(const Mixture& x, std::int32_t rows) {
  return std::int64_t{rows} * x.s.hidden * machine::element_bytes(x.s.x.config.precision);
}

// Expected number of nodes that hold one of a token's experts, over even choices; where loads are uneven,
// each node is counted as often as the busiest.
double nodes_per_token(const Mixture& x) {
  const double nodes = x.s.x.layout.expert_across.ranks;
  return nodes * (1.0 - std::pow(1.0 - x.s.x.load.node / nodes, x.copies));
}

// Transfers between the ranks of an expert group, towards the experts or away from them.
OpId exchange(Builder& b, const Mixture& x, OpId after, bool towards) {
  const training::RankLayout& layout = x.s.x.layout;
  const std::int64_t copies = bytes_of(x, x.received);
  if (x.s.x.config.recipe.dispatch == training::Dispatch::per_copy || layout.expert_across.ranks == 1)
    return over(b, layout.expert, CollectiveKind::all_to_all, copies, after);
  const std::int64_t crossing = std::llround(static_cast<double>(bytes_of(x, x.tokens)) * nodes_per_token(x));
  const auto across = [&](OpId first) {
    return over(b, layout.expert_across, CollectiveKind::all_to_all, crossing, first);
  };
  const auto within = [&](OpId first) {
    return over(b, layout.expert_within, CollectiveKind::all_to_all, copies, first);
  };
  return towards ? within(across(after)) : across(within(after));
}

// Sends copies to the ranks that hold their experts: to the experts forward, gradients of their outputs
// backward.
OpId dispatch(Builder& b, const Mixture& x, OpId after) {
  const OpId sent = exchange(b, x, after, true);
  return over(b, x.s.x.layout.expert_tensor, CollectiveKind::all_gather, bytes_of(x, x.rows), sent);
}

// The way back: each rank of an expert-tensor group holds a part of every sum.
OpId combine(Builder& b, const Mixture& x, OpId after) {
  const OpId summed =
      over(b, x.s.x.layout.expert_tensor, CollectiveKind::reduce_scatter, bytes_of(x, x.rows), after);
  return exchange(b, x, summed, false);
}

// Copies between the order of sending ranks and that of local experts. 8-bit products need each expert's
// rows in multiples of 16: tokens are copied to padded places, and results back (fp8_padding,
// fp8_unpadding).
void reorder(Builder& b, const Mixture& x, TimeCategory part, OpId arrived = OpId::none()) {
  const KernelKey copy = x.s.op(KernelKind::elementwise, x.rows, x.s.hidden);
  if (x.experts > 1 && x.ep * x.etp > 1) b.compute(part, copy, {arrived});
  if (x.s.is_8_bit()) b.compute(part, copy, {arrived});
}

void shared_up_forward(Builder& b, const Mixture& x, TimeCategory part, OpId weights = OpId::none()) {
  const OpId input = column_forward(b, x.s, part, x.s.hidden, x.shared_up, weights);
  b.compute(part, x.activation(KernelKind::activation_forward, x.s.rows, x.shared_ffn), {input});
}

void score(Builder& b, const Mixture& x, TimeCategory part, OpId start_after) {
  b.compute(part, x.router.gemm(x.tokens, x.s.x.model.experts, x.s.hidden, GemmLayout::tn), {start_after});
  b.compute(part, x.routing(KernelKind::router_forward));
}

void route(Builder& b, const Mixture& x, TimeCategory part, OpId start_after) {
  score(b, x, part, start_after);
  const machine::GroupSpan& grid = x.s.x.layout.expert_grid;
  if (!x.is_capped())
    over(b, grid, CollectiveKind::all_gather, std::int64_t{8} * x.s.x.model.experts * grid.ranks,
         b.last_compute());  // counts; the dispatch queues behind them
  b.compute(part, x.sorting(KernelKind::permute));
}

void experts_forward(Builder& b, const Mixture& x, TimeCategory part, OpId arrived) {
  const Shapes& s = x.s;
  reorder(b, x, part, arrived);
  cast_to_8_bit(b, s, part, x.rows, s.hidden);
  b.compute(part, s.grouped_gemm(x.rows_each, x.up, s.hidden, GemmLayout::tn, x.experts), {arrived});
  b.compute(part, x.activation(KernelKind::activation_forward, x.rows, x.ffn));
  cast_to_8_bit(b, s, part, x.rows, x.ffn);
  b.compute(part, s.grouped_gemm(x.rows_each, s.hidden, x.ffn, GemmLayout::tn, x.experts));
  reorder(b, x, part);
}

void expert_gradient(Builder& b, const Mixture& x, std::int32_t inputs, std::int32_t outputs,
                     const GradientReady& ready) {
  const OpId done = b.compute(TimeCategory::backward,
                              x.s.grouped_gemm(inputs, outputs, x.rows_each, GemmLayout::nt, x.experts));
  ready(b, training::WeightKind::expert, std::int64_t{x.experts} * inputs * outputs, done);
}

void experts_backward(Builder& b, const Mixture& x, OpId arrived, const GradientReady& ready) {
  const Shapes& s = x.s;
  reorder(b, x, TimeCategory::backward, arrived);
  if (s.recomputes(training::Module::moe_act) && !s.recomputes(training::Module::moe))
    b.compute(TimeCategory::recompute, x.activation(KernelKind::activation_forward, x.rows, x.ffn),
              {arrived});
  cast_to_8_bit(b, s, TimeCategory::backward, x.rows, s.hidden);
  b.compute(TimeCategory::backward, s.grouped_gemm(x.rows_each, x.ffn, s.hidden, GemmLayout::nn, x.experts),
            {arrived});
  if (!s.x.splits_backward) expert_gradient(b, x, x.ffn, s.hidden, ready);
  b.compute(TimeCategory::backward, x.activation(KernelKind::activation_backward, x.rows, x.ffn));
  cast_to_8_bit(b, s, TimeCategory::backward, x.rows, x.up);
  b.compute(TimeCategory::backward, s.grouped_gemm(x.rows_each, s.hidden, x.up, GemmLayout::nn, x.experts));
  if (!s.x.splits_backward) expert_gradient(b, x, s.hidden, x.up, ready);
  reorder(b, x, TimeCategory::backward);
}

void route_backward(Builder& b, const Mixture& x, const GradientReady& ready) {
  const Shapes& s = x.s;
  b.compute(TimeCategory::backward, x.routing(KernelKind::router_backward));
  b.compute(TimeCategory::backward, x.router.gemm(x.tokens, s.hidden, s.x.model.experts, GemmLayout::nn));
  if (!s.x.splits_backward) weight_gradient(b, x.router, s.hidden, s.x.model.experts, x.tokens, ready);
  b.compute(TimeCategory::backward,
            s.op(KernelKind::elementwise, x.tokens, s.hidden));  // added to the experts' gradient
}

}  // namespace

OpId shared_experts_forward(Builder& b, const Shapes& s, TimeCategory part, OpId start_after) {
  const Mixture x(s);
  if (!x.has_shared()) return OpId::none();
  shared_up_forward(b, x, part, start_after);
  return row_forward(b, s, part, x.shared_ffn);
}

void mixture_forward(Builder& b, const Shapes& s, TimeCategory part, OpId start_after) {
  const Mixture x(s);
  const bool beside = x.overlaps_shared();
  OpId shared_sum = OpId::none();
  if (!beside) shared_sum = shared_experts_forward(b, s, part, start_after);
  route(b, x, part, start_after);
  b.cut();
  const OpId arrived = dispatch(b, x, b.last_compute());
  b.cut();
  if (beside) shared_up_forward(b, x, part);
  experts_forward(b, x, part, arrived);
  b.cut();
  const OpId returned = combine(b, x, b.last_compute());
  b.cut();
  if (beside) shared_sum = row_forward(b, s, part, x.shared_ffn);
  b.compute(part, x.sorting(KernelKind::unpermute), {returned});
  if (x.has_shared()) b.compute(part, s.op(KernelKind::elementwise, x.tokens, s.hidden), {shared_sum});
}

// The tensors received over the network are kept; shared experts follow the routed ones.
void mixture_per_op(Builder& b, const Shapes& s, KeptProducts& kept) {
  const Mixture x(s);
  const TimeCategory part = TimeCategory::recompute;
  score(b, x, part, OpId::none());
  b.compute(part, x.sorting(KernelKind::permute));
  experts_forward(b, x, part, OpId::none());
  if (!x.has_shared()) return;
  const OpId input = cast_and_gather(b, s, part, s.hidden, Origin::norm);
  for (std::int32_t i = s.x.model.gated_ffn ? 2 : 1; i > 0; --i)
    kept.pass(b, s.gemm(s.rows, x.shared_ffn, s.hidden, GemmLayout::tn), input);
  b.compute(part, x.activation(KernelKind::activation_forward, s.rows, x.shared_ffn), {input});
  cast_to_8_bit(b, s, part, s.rows, x.shared_ffn);
  kept.pass(b, s.gemm(s.rows, s.hidden, x.shared_ffn, GemmLayout::tn));
}

OpId mixture_backward(Builder& b, const Shapes& s, const GradientReady& ready) {
  const Mixture x(s);
  const bool beside = x.overlaps_shared();
  const auto shared_down = [&] {
    row_backward(b, s, x.shared_ffn, ready);
    b.compute(TimeCategory::backward, x.activation(KernelKind::activation_backward, s.rows, x.shared_ffn));
  };
  OpId shared_gradient = OpId::none();
  b.compute(TimeCategory::backward, x.sorting(KernelKind::permute));
  b.cut();
  const OpId arrived = dispatch(b, x, b.last_compute());
  b.cut();
  if (beside) shared_down();
  experts_backward(b, x, arrived, ready);
  b.cut();
  const OpId returned = combine(b, x, b.last_compute());
  b.cut();
  if (beside) shared_gradient = column_backward(b, s, s.hidden, x.shared_up, ready);
  b.compute(TimeCategory::backward, x.sorting(KernelKind::unpermute), {returned});
  route_backward(b, x, ready);
  if (!x.has_shared()) return OpId::none();
  if (!beside) {
    shared_down();
    shared_gradient = column_backward(b, s, s.hidden, x.shared_up, ready);
  }
  b.compute(TimeCategory::backward, s.op(KernelKind::elementwise, x.tokens, s.hidden), {shared_gradient});
  return OpId::none();
}

void mixture_weight_gradients(Builder& b, const Shapes& s, const GradientReady& ready) {
  const Mixture x(s);
  expert_gradient(b, x, x.ffn, s.hidden, ready);
  expert_gradient(b, x, s.hidden, x.up, ready);
  weight_gradient(b, x.router, s.hidden, s.x.model.experts, x.tokens, ready);
  if (!x.has_shared()) return;
  weight_gradient(b, s, x.shared_ffn, s.hidden, s.rows, ready);
  weight_gradient(b, s, s.hidden, x.shared_up, s.rows, ready);
}

}  // namespace echo::workload
