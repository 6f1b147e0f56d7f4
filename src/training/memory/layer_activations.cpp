// After Korthikanti et al. 2022 ("Reducing Activation Recomputation in Large Transformer Models", section
// 4): s b h (34 + 5 a s / h) bytes per layer, generalised to grouped queries, latent attention, gated nets,
// mixtures and 8-bit products, and to kernels that are not fused. In 2-byte elements per token:
//   h           input and output of each norm      divided only with sequence parallelism
//   q + k + v   heads as attention takes them;  its output;  input and output of the net's activation:
//               divided
//   a s         unfused attention: softmax output, and with dropout its mask (a byte) and the dropped scores
// Instead of the net, the layer of a mixture keeps the scores of the router (fp32 twice, a byte of map) and,
// for each copy of a token that reaches this rank, the expert's input, its activation's input and output and
// its weight (fp32); shared experts keep the same as a net.
//
// Autograd keeps more where kernels are not fused: an eager RMSNorm an fp32 copy of its input in place of
// the 16-bit one, and the normalised value before its weight (Hugging Face LlamaRMSNorm); an eager gated net
// the output of its sigmoid unit beside the product; eager attention fp32 scores. A compiler keeps less:
// tensors that it can compute again from a kept product without another product - norms' outputs, the net's
// product - are computed again (PyTorch's min-cut partitioner, torch/_functorch/partitioners.py). Neglected:
// statistics of norms (8 bytes per token), positions, attention masks.
#include "training/memory/layer_activations.hpp"

#include <algorithm>

#include "training/layout/expert_load.hpp"
#include "training/memory/number_formats.hpp"
#include "training/memory/stored_bytes.hpp"

namespace echo::training {

namespace {

using ops::KernelStyle;

bool has_dropout(const ModelSpec& m) { return m.positions == Positions::learned; }

// Bytes per element of a product's input as kept for its weight gradient. Frozen weights have none: nothing
// is kept for them but the 16-bit input of an adapter (Transformer Engine module/linear.py,
// backward_needs_input).
double kept_input_bytes(const TrainingConfig& c, Product product) {
  constexpr std::int32_t any_generation = 90;  // it decides on copies of weights alone
  if (c.recipe.lora_rank == 0) return saved_operand_bytes(c, any_generation);
  return c.recipe.adapts(product) ? machine::element_bytes(c.precision) : 0.0;
}

// Elements per token, tensor parallelism not yet applied.
struct HeadElements {
  double queries = 0, keys_values = 0, mixed = 0;
};

HeadElements head_elements(const TrainingConfig& c, const ModelSpec& m) {
  // Where there are fewer key-value heads than tensor ranks, each rank holds a copy of one.
  const double copies = std::max(1.0, static_cast<double>(c.degrees.tensor) / m.kv_heads);
  return {.queries = static_cast<double>(m.heads) * m.query_head_dim(),
          .keys_values = static_cast<double>(m.kv_heads) * (m.query_head_dim() + m.value_head_dim()) * copies,
          .mixed = static_cast<double>(m.heads) * m.value_head_dim()};
}

void set_norms(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f, LayerKind kind,
               LayerActivations& a) {
  const double e = machine::element_bytes(c.precision);
  const double local = tokens_per_rank(c) * m.hidden / sequence_shares(c);
  const double gathered = f.keeps_gathered_inputs ? tokens_per_rank(c) * m.hidden : local;
  const double mixers = kind.mixer != Mixer::none ? 1.0 : 0.0, nets = kind.net != Net::none ? 1.0 : 0.0;
  const bool shared = shares_norm(m, kind);
  const double halves = mixers + nets, norms = shared ? 1.0 : halves;
  const double of_mixer = mixers * kept_input_bytes(c, Product::linear_qkv),
               of_net = nets * kept_input_bytes(c, Product::linear_fc1);
  const double saved = shared ? std::max(of_mixer, of_net) : of_mixer + of_net;
  const KernelStyle style = m.norm == Norm::rms ? c.recipe.kernels_rms_rope : KernelStyle::fused;
  const bool casts = style == KernelStyle::eager && e < 4.0;
  a.entry = local * e;
  a.middle = (norms - 1.0) * local * e;
  a.norms = style == KernelStyle::compiled ? 0.0 : gathered * saved;
  if (style == KernelStyle::eager) a.norms += norms * local * e;
  if (casts) a.norms += norms * 4.0 * local - a.entry - a.middle;  // in place of 16-bit inputs
  if (m.post_norms) a.norms += halves * local * e;                 // what those norms take
  if (has_dropout(m)) a.masks = halves * local;
}

void set_attention(const TrainingConfig& c, const ModelSpec& m, LayerActivations& a) {
  const double e = machine::element_bytes(c.precision), tokens = tokens_per_rank(c);
  const double t = c.degrees.tensor;
  const HeadElements n = head_elements(c, m);
  a.heads = tokens * e * (n.queries + n.keys_values) / t;
  // The product behind attention keeps a quantised copy beside the output that attention itself needs.
  const double kept = kept_input_bytes(c, Product::linear_proj);
  a.mixed = tokens * n.mixed / t * (e + (kept < e ? kept : 0.0));
  if (m.has_latent_attention())
    a.latents = tokens * e * (2.0 * (m.latent.query_rank + m.latent.key_value_rank) + m.latent.rope_dim) /
                sequence_shares(c);
  const double pairs = tokens * c.batch.sequence_tokens * m.heads / t;
  const double per_pair =
      (has_dropout(m) ? 2.0 * e + 1.0 : e) + (c.recipe.kernels == KernelStyle::eager && e < 4.0 ? 4.0 : 0.0);
  a.scores = c.flash_attention ? tokens * m.heads * 4.0 / t : pairs * per_pair;
}

// Mamba-2: the projection's output, the convolution's output, the states between chunks of the scan (fp32),
// the gated norm's input and output (state-spaces/mamba ops/triton/ssd_combined.py).
void set_mamba(const TrainingConfig& c, const ModelSpec& m, LayerActivations& a) {
  const double e = machine::element_bytes(c.precision), tokens = tokens_per_rank(c), t = c.degrees.tensor;
  const Mamba& x = m.mamba;
  a.heads = tokens * e * (x.projected() + x.convolved()) / t;
  a.scores = tokens / x.chunk * 4.0 * x.inner() * x.state / t;
  a.mixed = tokens * x.inner() * (e + kept_input_bytes(c, Product::linear_proj)) / t;
}

// Input and output of an activation function over `width` channels.
struct NetBytes {
  double in = 0, out = 0;
};
NetBytes net_bytes(const TrainingConfig& c, const ModelSpec& m, double channels) {
  const double e = machine::element_bytes(c.precision);
  const bool eager = c.recipe.kernels == KernelStyle::eager,
             compiled = c.recipe.kernels == KernelStyle::compiled;
  return {.in = channels * e * (m.gated_ffn ? (eager ? 3.0 : 2.0) : 1.0),
          .out = compiled ? 0.0 : channels * kept_input_bytes(c, Product::linear_fc2)};
}

void set_net(const TrainingConfig& c, const ModelSpec& m, LayerKind kind, LayerActivations& a) {
  const double tokens = tokens_per_rank(c), t = c.degrees.tensor;
  if (kind.net == Net::none) return;
  if (kind.net == Net::dense) {
    const NetBytes net = net_bytes(c, m, tokens * m.ffn_hidden / t);
    a.net_in = net.in, a.net_out = net.out;
    return;
  }
  const double routed = routed_tokens(c, m);
  a.router = tokens / t * m.experts * 9.0;
  a.dispatched = routed * (m.hidden * kept_input_bytes(c, Product::linear_fc1) + 4.0);
  const NetBytes experts = net_bytes(c, m, routed * m.expert_ffn_hidden / c.degrees.expert_tensor);
  a.expert_in = experts.in, a.expert_out = experts.out;
  const NetBytes shared = net_bytes(c, m, tokens * m.shared_expert_hidden / t);
  a.shared_in = shared.in, a.shared_out = shared.out;
}

// Keys and values (and their gradients) of other ranks that are held while attention runs.
double visiting_keys_values(const TrainingConfig& c, double own) {
  if (c.degrees.context == 1) return 0.0;
  switch (c.recipe.cp_comm) {
    case ContextComm::ring:
    case ContextComm::hybrid:
      return 4.0 * own;  // two in turn, forward, and as many gradients
    case ContextComm::all_gather:
      return 2.0 * own * c.degrees.context;
    case ContextComm::ulysses:
      return own;
  }
  return 0.0;
}

// Gradients of the half of the layer that needs more; the input gathered again and its gradient before it is
// scattered.
double backward_working(const TrainingConfig& c, const ModelSpec& m, const LayerActivations& a) {
  const double e = machine::element_bytes(c.precision), stream = tokens_per_rank(c) * e * m.hidden;
  const HeadElements n = head_elements(c, m);
  const double keys_values = tokens_per_rank(c) * e * n.keys_values / c.degrees.tensor;
  const double attention = a.heads + a.mixed + visiting_keys_values(c, keys_values);
  const double net = a.net_in + a.net_out, mixture = a.expert_in + a.expert_out + a.dispatched;
  return std::max({attention, net, mixture}) + stream * (c.sequence_parallel ? 2.0 : 1.0) + a.entry;
}

// torchtitan's selective op checkpointing keeps the output of every other matrix product, of attention and
// of reduce-scatters, and computes the rest again from the layer's input
// (torchtitan/models/llama/parallelize_llama.py, _save_list; products in order q k v out, gate up down). The
// backward pass does not need the down product's output: eager checkpointing keeps it all the same, a
// compiler's partition of the graph does not.
double per_op_bytes(const TrainingConfig& c, const ModelSpec& m, LayerKind kind, const LayerActivations& a) {
  const double e = machine::element_bytes(c.precision), tokens = tokens_per_rank(c), t = c.degrees.tensor;
  const HeadElements n = head_elements(c, m);
  double kept = a.entry + a.mixed + (c.flash_attention ? a.scores : 0.0);
  kept += tokens * e * (n.queries + n.keys_values / 2.0) / t;
  if (t > 1) kept += 2.0 * tokens * e * m.hidden / sequence_shares(c);
  if (kind.net == Net::none) return kept;
  if (kind.mixes_experts()) return kept + a.dispatched + a.expert_in / 2.0 + a.shared_in / 2.0;
  kept += tokens * e * m.ffn_hidden / t;
  const bool keeps_down = m.gated_ffn && c.recipe.kernels != ops::KernelStyle::compiled;
  return keeps_down ? kept + tokens * e * m.hidden : kept;
}

}  // namespace

LayerActivations layer_activations(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                   LayerKind kind) {
  LayerActivations a;
  set_norms(c, m, f, kind, a);
  if (kind.has_attention()) set_attention(c, m, a);
  if (kind.mixer == Mixer::mamba) set_mamba(c, m, a);
  set_net(c, m, kind, a);
  a.working = backward_working(c, m, a);
  a.per_op = std::min(per_op_bytes(c, m, kind, a), a.whole());
  return a;
}

double dropped_by_modules(const Recipe& r, const LayerActivations& a) {
  double dropped = 0.0;
  if (r.recomputes(Module::core_attn)) dropped += a.scores;
  if (r.recomputes(Module::layernorm)) dropped += a.norms;
  if (r.recomputes(Module::mla_up_proj) && a.latents > 0.0) dropped += a.heads;
  if (r.recomputes(Module::mlp)) dropped += a.net_in + a.net_out;
  const bool mixture = r.recomputes(Module::moe);
  if (mixture) dropped += a.router + a.dispatched + a.expert_in + a.expert_out;
  if (!mixture && r.recomputes(Module::moe_act)) dropped += a.expert_out;
  if (mixture || r.recomputes(Module::shared_experts)) dropped += a.shared_in + a.shared_out;
  return dropped;
}

double kept_layer_bytes(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f, LayerKind kind) {
  const LayerActivations a = layer_activations(c, m, f, kind);
  switch (c.recompute) {
    case Recompute::none:
      return a.whole();
    case Recompute::selective:
      return a.whole() - dropped_by_modules(c.recipe, a);
    case Recompute::per_op:
      return a.per_op;
    case Recompute::full:
      break;
  }
  return a.entry;
}

}  // namespace echo::training
