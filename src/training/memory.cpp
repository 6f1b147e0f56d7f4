// Device memory per stage, after Korthikanti et al. 2022 ("Reducing Activation Recomputation in Large
// Transformer Models", section 4), generalised to grouped queries, gated feed-forward layers and flash
// attention.
//
// Per parameter: 16-bit weights 2 bytes, gradients 4 (or 2), Adam's fp32 master copy and two moments 12, the
// last divided by the data degree under ZeRO-1. Per layer and token, activations saved for backward, in
// 2-byte elements:
//   h           norm input, norm output (x2 norms)      replicated over tensor ranks, or divided with
//   sequence parallelism q + 2 kv    query, key, value;  q: attention output;  ffn: activation input and
//   output      always divided 5 a s / 2   unfused attention: softmax output, dropout mask (1 byte) and
//   dropped scores per head and key
// A mixture's layer saves, instead of the feed-forward terms, the scores of the router, and for each copy of
// a token that reaches this rank (experts_per_token copies, times the expert-tensor degree) the expert's
// input, activation input and output; shared experts save as a feed-forward net does. Latent attention saves
// its latents before and after their norms, too. In flight: a token's copies once as sent and once as
// received. Neglected: uneven loads of experts (a rank whose experts are popular needs more), allocator
// rounding below 2 MiB, cuBLAS workspaces (in the framework's reserve).
#include "training/memory.hpp"

#include <algorithm>

namespace echo::training {

namespace {

// Tokens of one microbatch on one gpu rank: context parallelism divides the sequence.
double tokens_per_rank(const TrainingConfig& c) {
  return static_cast<double>(c.batch.sequence_tokens) / c.degrees.context * c.batch.micro_samples;
}

double bytes_per_weight(const TrainingConfig& c) { return machine::element_bytes(c.precision); }

bool has_dropout(const ModelSpec& m) { return m.positions == Positions::learned; }

// Bytes one layer saves for one microbatch without recomputation.
struct LayerActivations {
  double replicated = 0;  // norm inputs and outputs, dropout masks: divided only by sequence parallelism
  double divided = 0;     // divided by the tensor degree
  double scores = 0;      // of unfused attention; divided too; dropped by selective recomputation
  double input = 0;       // the layer's input alone: what full recomputation keeps
};

// Feed-forward elements saved per token of a net: activation input (twice as wide when gated) and output.
double net_elements(const ModelSpec& m, std::int32_t width) { return (m.gated_ffn ? 3.0 : 2.0) * width; }

// Copies of tokens that one rank's experts work on, evenly spread.
double routed_tokens(const TrainingConfig& c, const ModelSpec& m) {
  return tokens_per_rank(c) / c.degrees.tensor * m.experts_per_token * c.degrees.expert_tensor;
}

// What the mixture of one layer saves.
double mixture_bytes(const TrainingConfig& c, const ModelSpec& m) {
  const double e = machine::element_bytes(c.precision), tokens = tokens_per_rank(c) / c.degrees.tensor;
  const double router = tokens * m.experts * 9.0;  // fp32 scores and probabilities, a byte of map
  const double experts =
      routed_tokens(c, m) *
      (e * (m.hidden + net_elements(m, m.expert_ffn_hidden) / c.degrees.expert_tensor) + 4.0);
  return router + experts + tokens * e * net_elements(m, m.shared_expert_hidden);
}

LayerActivations layer_activations(const TrainingConfig& c, const ModelSpec& m, LayerKind kind) {
  const double e = machine::element_bytes(c.precision);
  const double tokens = tokens_per_rank(c);
  const double t = c.degrees.tensor, shared = c.sequence_parallel ? t : 1.0;
  const double q = static_cast<double>(m.heads) * (m.query_head_dim() + m.value_head_dim());
  const double kv = static_cast<double>(m.kv_heads) * (m.query_head_dim() + m.value_head_dim()) *
                    std::max(1.0, t / m.kv_heads);
  const double mask = has_dropout(m) ? 1.0 : 0.0;
  LayerActivations a;
  a.input = tokens * e * m.hidden / shared;
  a.replicated = tokens * m.hidden * (4.0 * e + 2.0 * mask) / shared;
  if (m.has_latent_attention())
    a.replicated +=
        tokens * e * (2.0 * (m.latent.query_rank + m.latent.key_value_rank) + m.latent.rope_dim) / shared;
  const double ffn = kind.net == Net::dense ? net_elements(m, m.ffn_hidden) : 0.0;
  a.divided = tokens * e * (q + kv + ffn) / t;
  if (kind.mixes_experts()) a.divided += mixture_bytes(c, m);
  const double pairs = tokens * c.batch.sequence_tokens * m.heads / t;
  a.scores = c.flash_attention ? tokens * m.heads * 4.0 / t : pairs * (mask > 0 ? 2.0 * e + 1.0 : e);
  return a;
}

double kept_per_layer(const TrainingConfig& c, const LayerActivations& a) {
  switch (c.recompute) {
    case Recompute::none:
      return a.replicated + a.divided + a.scores;
    case Recompute::selective:
    case Recompute::per_op:
      return a.replicated + a.divided;
    case Recompute::full:
      return a.input;
  }
  return 0.0;
}

// What the backward of one layer recreates while it runs.
double transient(const TrainingConfig& c, const LayerActivations& a) {
  switch (c.recompute) {
    case Recompute::none:
      return 0.0;
    case Recompute::selective:
    case Recompute::per_op:
      return a.scores;
    case Recompute::full:
      return a.replicated + a.divided + a.scores;
  }
  return 0.0;
}

}  // namespace

Bytes MemoryUse::total() const {
  Bytes sum;
  for (const Bytes b : part) sum += b;
  return sum;
}

namespace {

// Activations of the layers a stage holds at its high-water: the deepest of its chunks, `in_flight` times,
// and what the backward of one layer recreates.
double layers_activations(const TrainingConfig& c, const ModelSpec& m, const RankLayout& layout,
                          std::int32_t stage, std::int32_t in_flight) {
  double deepest = 0.0, recreated = 0.0;
  for (std::size_t chunk = 0; chunk < layout.chunk_layers.size(); ++chunk) {
    if (layout.stage_of_chunk[chunk] != stage) continue;
    double kept = 0.0;
    for (const LayerCount& like : layout.chunk_kinds.row(static_cast<std::int32_t>(chunk))) {
      const LayerActivations each = layer_activations(c, m, like.kind);
      kept += kept_per_layer(c, each) * like.count;
      recreated = std::max(recreated, transient(c, each));
    }
    deepest = std::max(deepest, kept);
  }
  return deepest * in_flight + recreated;
}

// What the stage's weights, gradients and optimizer states take.
void set_model_states(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                      const RankLayout& layout, std::int32_t stage, MemoryUse& use) {
  const RankParameters held = stage_parameters(c, m, f, layout, stage);
  const RankParameters trained = trained_stage_parameters(c, m, f, layout, stage);
  const auto set = [&](MemoryPart part, double bytes_each, ZeroStage divided_from, double more) {
    const bool divided = c.zero >= divided_from;
    const double dense =
        static_cast<double>(trained.dense) * bytes_each / (divided ? layout.shard.ranks : 1.0);
    const double expert =
        static_cast<double>(trained.expert) * bytes_each / (divided ? layout.expert_shard.ranks : 1.0);
    use.part[static_cast<std::size_t>(part)] = Bytes(static_cast<std::int64_t>(dense + expert + more));
  };
  const bool full_precision = c.precision == Precision::fp32 || c.precision == Precision::tf32;
  const double per_gradient = c.recipe.fp32_gradients ? 4.0 : bytes_per_weight(c);
  double gathered_gradients = 0.0;
  use.part[static_cast<std::size_t>(MemoryPart::weights)] =
      Bytes(static_cast<std::int64_t>(static_cast<double>(held.total()) * bytes_per_weight(c)));
  if (c.zero == ZeroStage::parameters && layout.shard.ranks > 1) {
    // The master copy is the only whole set of weights; two units and the root are gathered at once, and the
    // gradients of one unit wait for their scatter.
    const auto unit = static_cast<double>(layer_parameters_per_rank(c, m, LayerKind::dense).total());
    const double root = std::max(0.0, static_cast<double>(held.dense) - unit * layout.chunk_layers.front());
    use.part[static_cast<std::size_t>(MemoryPart::weights)] =
        Bytes(static_cast<std::int64_t>((2.0 * unit + root) * bytes_per_weight(c)));
    gathered_gradients = unit * per_gradient;
  }
  set(MemoryPart::grads, per_gradient, ZeroStage::gradients, gathered_gradients);
  set(MemoryPart::optimizer, full_precision ? 8.0 : 12.0, ZeroStage::optimizer, 0.0);
}

}  // namespace

double kept_layer_bytes(const TrainingConfig& c, const ModelSpec& m, LayerKind kind) {
  return kept_per_layer(c, layer_activations(c, m, kind));
}

MemoryUse estimate_memory(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                          const RankLayout& layout, std::int32_t stage, std::int32_t in_flight) {
  const double e = machine::element_bytes(c.precision), t = c.degrees.tensor;
  const double tokens = tokens_per_rank(c);
  const double shared = c.sequence_parallel ? t : 1.0;
  bool first = false, last = false;
  for (std::size_t chunk = 0; chunk < layout.stage_of_chunk.size(); ++chunk) {
    if (layout.stage_of_chunk[chunk] != stage) continue;
    first = first || layout.opens_model(chunk), last = last || layout.closes_model(chunk);
  }
  double activations = layers_activations(c, m, layout, stage, in_flight);
  // Embedding dropout mask; final norm, logits' input, 16-bit logits and their fp32 copy and gradient.
  const double masks = first && has_dropout(m) ? tokens * m.hidden / shared : 0.0;
  activations += masks * std::min(in_flight, c.degrees.pipeline);
  const double vocabulary = static_cast<double>(padded_vocabulary(c, m, f)) / t;
  if (last) activations += tokens * (2.0 * e * m.hidden / shared + (e + 4.0) * vocabulary);
  // Hops: a send and a receive buffer each way. Experts: a token's copies as sent and as received.
  const double hops = c.degrees.pipeline > 1 ? 4.0 * tokens * e * m.hidden / shared : 0.0;
  const double dispatched = m.has_experts() ? 2.0 * routed_tokens(c, m) * e * m.hidden : 0.0;

  MemoryUse use;
  const auto set = [&use](MemoryPart part, double bytes) {
    use.part[static_cast<std::size_t>(part)] = Bytes(static_cast<std::int64_t>(bytes));
  };
  set_model_states(c, m, f, layout, stage, use);
  set(MemoryPart::activations, activations);
  set(MemoryPart::comm_buffers, hops + dispatched + static_cast<double>(f.reserve.value));
  set(MemoryPart::fragmentation, activations * f.fragmentation);
  return use;
}

}  // namespace echo::training
