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
// Neglected: allocator rounding below 2 MiB, cuBLAS workspaces (in the framework's reserve).
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

LayerActivations layer_activations(const TrainingConfig& c, const ModelSpec& m) {
  const double e = machine::element_bytes(c.precision);
  const double tokens = tokens_per_rank(c);
  const double t = c.degrees.tensor, shared = c.sequence_parallel ? t : 1.0;
  const double q = static_cast<double>(m.heads) * m.head_dim;
  const double kv = static_cast<double>(m.kv_heads) * m.head_dim * std::max(1.0, t / m.kv_heads);
  const double mask = has_dropout(m) ? 1.0 : 0.0;
  LayerActivations a;
  a.input = tokens * e * m.hidden / shared;
  a.replicated = tokens * m.hidden * (4.0 * e + 2.0 * mask) / shared;
  const double ffn = m.gated_ffn ? 3.0 * m.ffn_hidden : 2.0 * m.ffn_hidden;
  a.divided = tokens * e * (2.0 * q + 2.0 * kv + ffn) / t;
  const double pairs = tokens * c.batch.sequence_tokens * m.heads / t;
  a.scores = c.flash_attention ? tokens * m.heads * 4.0 / t : pairs * (mask > 0 ? 2.0 * e + 1.0 : e);
  return a;
}

double kept_per_layer(const TrainingConfig& c, const LayerActivations& a) {
  switch (c.recompute) {
    case Recompute::none:
      return a.replicated + a.divided + a.scores;
    case Recompute::selective:
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

std::int64_t padded_vocabulary(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f) {
  if (!f.pads_vocabulary) return m.vocab;
  const std::int64_t step = 128LL * c.degrees.tensor;
  return (m.vocab + step - 1) / step * step;
}

std::int64_t layer_parameters_per_rank(const TrainingConfig& c, const ModelSpec& m) {
  return (layer_parameters(m) - replicated_layer_parameters(m)) / c.degrees.tensor +
         replicated_layer_parameters(m);
}

std::int64_t replicated_layer_parameters(const ModelSpec& m) {
  return 2LL * m.hidden * (m.norm == Norm::layer ? 2 : 1) + (m.linear_bias ? 2LL * m.hidden : 0);
}

std::int64_t chunk_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                              const RankLayout& layout, std::int32_t chunk) {
  const std::int64_t h = m.hidden, table = padded_vocabulary(c, m, f) / c.degrees.tensor * h;
  const bool first = chunk == 0, last = chunk + 1 == static_cast<std::int32_t>(layout.chunk_layers.size());
  std::int64_t total = layer_parameters_per_rank(c, m) * layout.chunk_layers[static_cast<std::size_t>(chunk)];
  if (first) total += table + (m.positions == Positions::learned ? std::int64_t{m.max_positions} * h : 0);
  if (last) total += h * (m.norm == Norm::layer ? 2 : 1);
  if (last && !(first && m.tied_embeddings)) total += table;  // a tied table is copied onto the last stage
  return total;
}

std::int64_t stage_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                              const RankLayout& layout, std::int32_t stage) {
  std::int64_t total = 0;
  for (std::size_t chunk = 0; chunk < layout.chunk_layers.size(); ++chunk)
    if (layout.stage_of_chunk[chunk] == stage)
      total += chunk_parameters(c, m, f, layout, static_cast<std::int32_t>(chunk));
  return total;
}

MemoryUse estimate_memory(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                          const RankLayout& layout, std::int32_t stage, std::int32_t in_flight) {
  const auto parameters = static_cast<double>(stage_parameters(c, m, f, layout, stage));
  const bool full_precision = c.precision == Precision::fp32 || c.precision == Precision::tf32;
  const double shards = layout.shard.ranks;
  const auto divided_from = [&](ZeroStage stage_of) { return c.zero >= stage_of ? shards : 1.0; };
  const double state = full_precision ? 8.0 : 12.0;

  const LayerActivations layer = layer_activations(c, m);
  const double e = machine::element_bytes(c.precision), t = c.degrees.tensor;
  const double tokens = tokens_per_rank(c);
  const double shared = c.sequence_parallel ? t : 1.0;
  const auto chunks = static_cast<std::int32_t>(layout.chunk_layers.size());
  std::int32_t chunk_layers = 0;
  bool first = false, last = false;
  for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
    if (layout.stage_of_chunk[static_cast<std::size_t>(chunk)] != stage) continue;
    chunk_layers = std::max(chunk_layers, layout.chunk_layers[static_cast<std::size_t>(chunk)]);
    first = first || chunk == 0;
    last = last || chunk == chunks - 1;
  }
  double activations = kept_per_layer(c, layer) * chunk_layers * in_flight + transient(c, layer);
  // Embedding dropout mask; final norm, logits' input, 16-bit logits and their fp32 copy and gradient.
  const double masks = first && has_dropout(m) ? tokens * m.hidden / shared : 0.0;
  activations += masks * std::min(in_flight, c.degrees.pipeline);
  const double vocabulary = static_cast<double>(padded_vocabulary(c, m, f)) / t;
  if (last) activations += tokens * (2.0 * e * m.hidden / shared + (e + 4.0) * vocabulary);
  // Hops: a send and a receive buffer each way.
  const double hops = c.degrees.pipeline > 1 ? 4.0 * tokens * e * m.hidden / shared : 0.0;

  MemoryUse use;
  const auto set = [&use](MemoryPart part, double bytes) {
    use.part[static_cast<std::size_t>(part)] = Bytes(static_cast<std::int64_t>(bytes));
  };
  const double per_gradient = f.fp32_gradients ? 4.0 : bytes_per_weight(c);
  double weights = parameters * bytes_per_weight(c), gathered_gradients = 0.0;
  if (c.zero == ZeroStage::parameters && shards > 1) {
    // The master copy is the only whole set of weights; two units and the root are gathered at once, and the
    // gradients of one unit wait for their scatter.
    const auto unit = static_cast<double>(layer_parameters_per_rank(c, m));
    const double root = std::max(0.0, parameters - unit * layout.chunk_layers.front());
    weights = (2.0 * unit + root) * bytes_per_weight(c);
    gathered_gradients = unit * per_gradient;
  }
  set(MemoryPart::weights, weights);
  set(MemoryPart::grads, parameters * per_gradient / divided_from(ZeroStage::gradients) + gathered_gradients);
  set(MemoryPart::optimizer, parameters * state / divided_from(ZeroStage::optimizer));
  set(MemoryPart::activations, activations);
  set(MemoryPart::comm_buffers, hops + static_cast<double>(f.reserve.value));
  set(MemoryPart::fragmentation, activations * f.fragmentation);
  return use;
}

}  // namespace echo::training
