#include "training/rank_parameters.hpp"

namespace echo::training {

std::int64_t padded_vocabulary(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f) {
  if (!f.pads_vocabulary) return m.vocab;
  const std::int64_t step = 128LL * c.degrees.tensor;
  return (m.vocab + step - 1) / step * step;
}

std::int64_t replicated_layer_parameters(const ModelSpec& m, LayerKind kind) {
  std::int64_t whole = norm_parameters(m, kind);
  if (kind.has_attention()) {
    whole += latent_down_parameters(m);
    if (m.linear_bias) whole += m.hidden;
    if (m.query_key_norm) whole += 2LL * m.head_dim;
  }
  if (kind.net == Net::dense && m.linear_bias) whole += m.hidden;
  if (kind.mixes_experts()) whole += router_parameters(m);
  return whole;
}

RankParameters layer_parameters_per_rank(const TrainingConfig& c, const ModelSpec& m, LayerKind kind) {
  const std::int64_t experts = kind.mixes_experts() ? routed_expert_parameters(m) : 0;
  const std::int64_t whole = replicated_layer_parameters(m, kind);
  return {.dense = (layer_parameters(m, kind) - experts - whole) / c.degrees.tensor + whole,
          .expert = experts / (c.degrees.expert * c.degrees.expert_tensor)};
}

RankParameters chunk_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                const RankLayout& layout, std::int32_t chunk) {
  const std::int64_t h = m.hidden, table = padded_vocabulary(c, m, f) / c.degrees.tensor * h;
  const auto at = static_cast<std::size_t>(chunk);
  const bool first = layout.opens_model(at), last = layout.closes_model(at);
  RankParameters total;
  for (const LayerCount& like : layout.chunk_kinds.row(chunk)) {
    const RankParameters each = layer_parameters_per_rank(c, m, like.kind);
    total += {.dense = like.count * each.dense, .expert = like.count * each.expert};
  }
  if (first)
    total.dense += table + (m.positions == Positions::learned ? std::int64_t{m.max_positions} * h : 0);
  if (last) total.dense += h * (m.norm == Norm::layer ? 2 : 1);
  if (last && !(first && m.tied_embeddings))
    total.dense += table;  // a tied table is copied onto the last stage
  return total;
}

RankParameters stage_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                const RankLayout& layout, std::int32_t stage) {
  RankParameters total;
  for (std::size_t chunk = 0; chunk < layout.chunk_layers.size(); ++chunk)
    if (layout.stage_of_chunk[chunk] == stage)
      total += chunk_parameters(c, m, f, layout, static_cast<std::int32_t>(chunk));
  return total;
}

}  // namespace echo::training
