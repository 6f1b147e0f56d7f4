// The tensors kept per layer depend on the recomputation:
//   none         everything
//   selective    everything but the chosen modules
//   per_op       outputs of attention and of every other product
//   full         uniform: the input of every n-th layer; block: the input of the first n layers of a chunk,
//                everything of the others
// While the backward pass of a layer (or group) runs, the dropped tensors exist again, beside its gradients.
// Layers whose activations wait in host memory keep two layers' worth on the device: one leaving, one
// arriving. The deepest chunk of the stage counts for every microbatch in flight: this is an upper bound
// where chunks differ, and where a schedule counts a microbatch whose input gradient is done but whose
// weight gradient is not: of that one only the inputs of products and their gradients remain (32 of 34 s b
// h; Qi et al. 2023, table 1).
#include "training/memory/stage_activations.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "training/memory/stored_bytes.hpp"

namespace echo::training {

namespace {

// Activations of one chunk, for one microbatch.
struct ChunkActivations {
  double kept = 0;
  double passing = 0;  // recreated, with gradients
  double away = 0;     // kept elsewhere
};

// Layers of one kind in a chunk.
ChunkActivations like_layers(const TrainingConfig& c, const LayerActivations& a, std::int32_t layers,
                             std::int32_t layers_in_chunk) {
  const double whole = a.whole(), n = c.recipe.recompute_layers;
  switch (c.recompute) {
    case Recompute::none:
      return {whole * layers, a.working};
    case Recompute::selective: {
      const double dropped = dropped_by_modules(c.recipe, a);
      return {(whole - dropped) * layers, a.working + dropped};
    }
    case Recompute::per_op:
      return {a.per_op * layers, a.working + whole - a.per_op};
    case Recompute::full:
      break;
  }
  if (c.recipe.recompute_method == RecomputeMethod::uniform) {
    const double group = std::clamp(n, 1.0, static_cast<double>(layers_in_chunk));
    const double groups = std::ceil(layers_in_chunk / group);
    return {a.entry * groups * layers / layers_in_chunk, a.working + whole * group - a.entry};
  }
  const bool every = c.recipe.recompute_method == RecomputeMethod::every;
  const double of_chunk = every ? std::floor(layers_in_chunk / n) : n;
  const double share = n > 0.0 ? std::min(1.0, of_chunk / layers_in_chunk) : 1.0;  // of the chunk's layers
  return {layers * (share * a.entry + (1.0 - share) * whole), a.working + whole - a.entry};
}

ChunkActivations chunk_activations(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                   std::span<const LayerCount> kinds) {
  std::int32_t layers = 0;
  for (const LayerCount& like : kinds) layers += like.count;
  ChunkActivations out;
  for (const LayerCount& like : kinds) {
    const ChunkActivations part = like_layers(c, layer_activations(c, m, f, like.kind), like.count, layers);
    out.kept += part.kept;
    out.passing = std::max(out.passing, part.passing);
  }
  if (c.recipe.offload_layers > 0 && layers > 0) {
    const double each = out.kept / layers;
    const std::int32_t away = std::min(c.recipe.offload_layers, layers);
    out.kept -= each * away;
    out.away = each * away;
    out.passing += each * std::min(2, away);
  }
  return out;
}

}  // namespace

StageActivations stage_activations(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                   const RankLayout& layout, std::int32_t stage) {
  StageActivations out;
  std::span<const LayerCount> before;
  for (std::size_t chunk = 0; chunk < layout.chunk_layers.size(); ++chunk) {
    if (layout.stage_of_chunk[chunk] != stage) continue;
    const std::span<const LayerCount> kinds = layout.chunk_kinds.row(static_cast<std::int32_t>(chunk));
    if (std::ranges::equal(kinds, before)) continue;  // the same again
    before = kinds;
    const ChunkActivations one = chunk_activations(c, m, f, kinds);
    out.kept = std::max(out.kept, one.kept);
    out.passing = std::max(out.passing, one.passing);
    out.away = std::max(out.away, one.away);
  }
  const double stream = tokens_per_rank(c) * m.hidden / sequence_shares(c);
  // Dropout after the embedding keeps its mask.
  const bool opens = layout.stage_of_chunk.front() == stage;
  if (opens && m.positions == Positions::learned) out.embedding = stream;
  // The norm after the embedding keeps what it takes.
  if (opens && m.embedding_norm) out.embedding += stream * machine::element_bytes(c.precision);
  return out;
}

}  // namespace echo::training
