// A token passes a router (a small product, scores in fp32), is copied for each of its `experts_per_token`
// experts, and the copies are sorted by expert and sent to the ranks that hold them: an all-to-all over the
// expert group and, where experts are themselves split, an all-gather over the expert-tensor group. There
// they are sorted again by local expert, pass two grouped products with the activation between, and return
// the same way (reduce-scatter, all-to-all), to be summed per token. Before the tokens leave, ranks exchange
// the numbers of tokens they will send, and the host waits for the counts; HybridEP gathers everyone's
// routing map instead, a byte per token and expert (hybrid_ep/extension/allgather). Backward is the mirror
// image; a rank's input and weight gradients both precede the transfer of the input gradient, as in the
// autograd graph. Shared experts are a plain feed-forward net of the tensor group; they run before the router
// or, where the framework overlaps them (--moe-shared-expert-overlap), beside the all-to-alls: first product
// and activation beside the dispatch, second beside the combine.
//
// How tokens travel: exchange.cpp. What the experts do with them: experts.cpp.
//
// Loads are even, as with forced balance, unless the recipe sets how uneven they are. The modelled rank is
// then the busiest of its group (training/layout/expert_load.hpp): its all-to-alls carry the tokens that
// arrive there, and the group's products work on its rows, divided evenly among its experts (products of a
// group share the SMs, so that only the padding of partial tiles would differ). With a capacity factor every
// expert gets exactly its capacity from each sender, more is dropped and less padded (both
// --moe-expert-capacity-factor and --moe-pad-expert-input-to-capacity); no counts are exchanged then.
// Sources: Megatron-LM core/transformer/moe/{moe_layer,router,token_dispatcher,experts,shared_experts}.py
// (MoEAlltoAllTokenDispatcher); Transformer Engine GroupedLinear. Neglected: the stall of the host's wait
// itself.
#include "workload/mixture/mixture.hpp"

#include "workload/layer/casts.hpp"
#include "workload/layer/parallel_linear.hpp"
#include "workload/mixture/exchange.hpp"
#include "workload/mixture/experts.hpp"
#include "workload/mixture/mixture_shapes.hpp"

namespace echo::workload {

namespace {

using ops::CollectiveKind;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

void shared_up_forward(Builder& b, const Mixture& x, TimeCategory part, OpId weights = OpId::none()) {
  const OpId input = column_forward(b, x.s, part, x.s.hidden, x.shared_up, weights);
  b.compute(part, x.activation(KernelKind::activation_forward, x.s.rows, x.shared_ffn), {input});
}

void score(Builder& b, const Mixture& x, TimeCategory part, OpId start_after) {
  b.compute(part, x.router.gemm(x.tokens, x.s.x.model.experts, x.s.hidden, GemmLayout::tn), {start_after});
  b.compute(part, x.routing(KernelKind::router_forward));
}

// HybridEP gathers the map in the call that sends the tokens.
void route(Builder& b, const Mixture& x, TimeCategory part, GraphedParts& graphs, OpId start_after) {
  score(b, x, part, start_after);
  if (x.is_hybrid())
    graphs.leave();
  else
    graphs.enter(training::GraphModule::moe_preprocess);
  const machine::GroupSpan& grid = x.s.x.layout.expert_grid;
  if (x.is_hybrid())
    over(b, x.s.x.layout.expert, CollectiveKind::all_gather,
         std::int64_t{x.tokens} * x.s.x.model.experts * x.ep, b.last_compute());  // the routing map
  else if (!x.is_capped())
    over(b, grid, CollectiveKind::all_gather, std::int64_t{8} * x.s.x.model.experts * grid.ranks,
         b.last_compute());  // counts; the dispatch queues behind them
  sort_copies(b, x, part, true);
  graphs.leave();
}

void route_backward(Builder& b, const Mixture& x, const GradientReady& ready) {
  const Shapes& s = x.s;
  b.compute(TimeCategory::backward, x.routing(KernelKind::router_backward));
  b.compute(TimeCategory::backward, x.router.gemm(x.tokens, s.hidden, s.x.model.experts, GemmLayout::nn));
  if (!s.x.splits_backward) weight_gradient(b, x.router, s.hidden, s.x.model.experts, x.tokens, ready);
  b.compute(TimeCategory::backward,
            s.op(KernelKind::elementwise, x.tokens, s.hidden));  // added to the experts' gradient
}

// One number per token, whose sigmoid scales what the shared experts gave; `given`: their sum, or none.
void gate_forward(Builder& b, const Mixture& x, TimeCategory part, OpId given) {
  if (!x.s.x.model.shared_expert_gate) return;
  b.compute(part, x.router.gemm(x.tokens, 1, x.s.hidden, GemmLayout::tn));
  b.compute(part, x.s.op(KernelKind::elementwise, x.tokens, x.s.hidden), {given});
}

void gate_weight_gradient(Builder& b, const Mixture& x, const GradientReady& ready) {
  if (x.s.x.model.shared_expert_gate) weight_gradient(b, x.router, x.s.hidden, 1, x.tokens, ready);
}

void gate_backward(Builder& b, const Mixture& x, const GradientReady& ready) {
  if (!x.s.x.model.shared_expert_gate) return;
  b.compute(TimeCategory::backward, x.s.op(KernelKind::elementwise, x.tokens, x.s.hidden));
  b.compute(TimeCategory::backward, x.router.gemm(x.tokens, x.s.hidden, 1, GemmLayout::nn));
  if (!x.s.x.splits_backward) gate_weight_gradient(b, x, ready);
}

}  // namespace

OpId shared_experts_forward(Builder& b, const Shapes& s, TimeCategory part, OpId start_after) {
  const Mixture x(s);
  if (!x.has_shared()) return OpId::none();
  shared_up_forward(b, x, part, start_after);
  return row_forward(b, s, part, x.shared_ffn);
}

void mixture_forward(Builder& b, const Shapes& s, TimeCategory part, GraphedParts& graphs, OpId start_after) {
  const Mixture x(s);
  const bool beside = x.overlaps_shared();
  OpId shared_sum = OpId::none();
  if (!beside) shared_sum = shared_experts_forward(b, s, part, start_after);
  route(b, x, part, graphs, start_after);
  b.cut();
  const OpId arrived = dispatch(b, x, b.last_compute());
  b.cut();
  if (beside) shared_up_forward(b, x, part);
  experts_forward(b, x, part, arrived);
  b.cut();
  const OpId returned = combine(b, x, b.last_compute());
  b.cut();
  if (beside) shared_sum = row_forward(b, s, part, x.shared_ffn);
  sort_copies(b, x, part, false, returned);
  gate_forward(b, x, part, shared_sum);
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
  gate_forward(b, x, part, OpId::none());
}

OpId mixture_backward(Builder& b, const Shapes& s, GraphedParts& graphs, const GradientReady& ready) {
  const Mixture x(s);
  const bool beside = x.overlaps_shared();
  const auto shared_down = [&] {
    row_backward(b, s, x.shared_ffn, ready);
    b.compute(TimeCategory::backward, x.activation(KernelKind::activation_backward, s.rows, x.shared_ffn));
  };
  OpId shared_gradient = OpId::none();
  gate_backward(b, x, ready);
  sort_copies(b, x, TimeCategory::backward, true);
  b.cut();
  const OpId arrived = dispatch(b, x, b.last_compute());
  b.cut();
  if (beside) shared_down();
  experts_backward(b, x, arrived, ready);
  b.cut();
  const OpId returned = combine(b, x, b.last_compute());
  b.cut();
  if (beside) shared_gradient = column_backward(b, s, s.hidden, x.shared_up, ready);
  graphs.enter(training::GraphModule::moe_preprocess);
  sort_copies(b, x, TimeCategory::backward, false, returned);
  graphs.enter(training::GraphModule::moe_router);
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
  expert_weight_gradients(b, x, ready);
  weight_gradient(b, x.router, s.hidden, s.x.model.experts, x.tokens, ready);
  gate_weight_gradient(b, x, ready);
  if (!x.has_shared()) return;
  weight_gradient(b, s, x.shared_ffn, s.hidden, s.rows, ready);
  weight_gradient(b, s, s.hidden, x.shared_up, s.rows, ready);
}

}  // namespace echo::workload
