// Full: the forward of the layer is repeated, transfers included. Megatron's checkpoints repeat all of it;
// PyTorch's own (non-reentrant) ones stop at the last tensor that backward needs, before the product that
// narrows the net. In a unit of several layers (uniform) each layer runs again once, as in a unit of one
// layer; only the tensors kept differ. With `block`, the first layers of each chunk are recomputed and the
// rest are not.
//
// Selective: by module. core_attn, mlp, moe and shared_experts are repeated whole, with their transfers;
// mla_up_proj, layernorm and moe_act drop an output and compute it again when its gradient arrives.
// layernorm means norms that are kernels of their own: before latent attention and before a mixture. The
// other norms are part of the product behind them, which keeps what it needs. moe covers moe_act and
// shared_experts.
//
// Per op: torchtitan keeps attention, every second product, reduce-scatters and all-to-alls, and computes
// everything else again: norms, positions, activations, routing, sorting, grouped products, and all-gathers
// of inputs. The router's own product is not counted and never kept.
//
// Sources: Megatron-LM core/transformer/{transformer_block,transformer_layer,multi_latent_attention}.py,
// moe/{moe_layer,experts}.py, transformer_config.py (recompute_modules); torchtitan
// distributed/activation_checkpoint.py; torch.utils.checkpoint (early stop). Neglected: that the compiler
// may drop a recomputed product nobody reads, random states.
#include "workload/layer/recompute.hpp"

#include <algorithm>

#include "workload/layer/attention.hpp"
#include "workload/layer/casts.hpp"
#include "workload/layer/feed_forward.hpp"
#include "workload/layer/parallel_linear.hpp"
#include "workload/mixture/mixture.hpp"

namespace echo::workload {

namespace {

using ops::GemmLayout;
using ops::KernelKind;
using training::LayerKind;
using training::Mixer;
using training::Module;
using training::Net;
using training::Recompute;

constexpr TimeCategory again = TimeCategory::recompute;

void recompute_norm(Builder& b, const Shapes& s, OpId after = OpId::none()) {
  b.compute(again, s.op(KernelKind::norm_forward, s.shared_rows, s.hidden), {after});
}

void recompute_mixture(Builder& b, const Shapes& s, OpId start_after) {
  constexpr training::Recipe without_graphs;  // what is recomputed is issued op by op
  GraphedParts none(b, without_graphs);
  mixture_forward(b, s, again, none, start_after);
}

OpId recompute_modules(Builder& b, const Shapes& s, LayerKind kind, OpId start_after) {
  if (s.recomputes(Module::layernorm)) {
    if (kind.has_attention() && s.x.model.has_latent_attention()) recompute_norm(b, s, start_after);
    if (kind.mixes_experts()) recompute_norm(b, s, start_after);
  }
  if (kind.mixes_experts()) {
    if (s.recomputes(Module::moe))
      recompute_mixture(b, s, start_after);
    else if (s.recomputes(Module::shared_experts))
      return shared_experts_forward(b, s, again, start_after);
  } else if (kind.net == Net::dense && s.recomputes(Module::mlp)) {
    return feed_forward(b, s, again, start_after);
  }
  return OpId::none();
}

void net_per_op(Builder& b, const Shapes& s, KeptProducts& kept) {
  const OpId input = cast_and_gather(b, s, again, s.hidden, Origin::norm);
  for (std::int32_t i = s.x.model.gated_ffn ? 2 : 1; i > 0; --i)
    kept.pass(b, s.gemm(s.rows, s.ffn, s.hidden, GemmLayout::tn), input);
  b.compute(again, feed_forward_activation(s, KernelKind::activation_forward), {input});
}

void recompute_per_op(Builder& b, const Shapes& s, LayerKind kind, OpId start_after) {
  KeptProducts kept(s);
  if (kind.mixer != Mixer::none) {
    recompute_norm(b, s, start_after);
    const OpId attention_sum = attention_per_op(b, s, kind.mixer, kept);
    if (s.x.model.post_norms) recompute_norm(b, s, attention_sum);
    b.compute(again, s.op(KernelKind::residual_forward, s.shared_rows, s.hidden), {attention_sum});
  }
  if (kind.net == Net::none) return;
  if (!training::shares_norm(s.x.model, kind)) recompute_norm(b, s, start_after);
  if (kind.mixes_experts())
    mixture_per_op(b, s, kept);
  else
    net_per_op(b, s, kept);
}

}  // namespace

std::int32_t recomputed_layers(const training::TrainingConfig& c, std::int32_t layers) {
  const std::int32_t n = c.recipe.recompute_layers;
  if (c.recompute != Recompute::full || n == 0) return layers;
  switch (c.recipe.recompute_method) {
    case training::RecomputeMethod::uniform:
      return layers;
    case training::RecomputeMethod::block:
      return std::min(layers, n);
    case training::RecomputeMethod::every:
      return layers / n;
  }
  return layers;
}

Recompute recompute_of(const training::TrainingConfig& c, std::int32_t i) {
  return recomputed_layers(c, i + 1) > recomputed_layers(c, i) ? c.recompute : Recompute::none;
}

OpId recompute_layer(Builder& b, const Shapes& s, LayerKind kind, OpId start_after) {
  switch (s.recompute) {
    case Recompute::none:
      return OpId::none();
    case Recompute::selective:
      return recompute_modules(b, s, kind, start_after);
    case Recompute::full:
      layer_forward(b, s.x, kind, again, start_after,
                    s.x.framework.recompute_stops_early ? Extent::needed : Extent::whole);
      return OpId::none();
    case Recompute::per_op:
      recompute_per_op(b, s, kind, start_after);
      return OpId::none();
  }
  return OpId::none();
}

}  // namespace echo::workload
