#include "training/layout/rank_parameters.hpp"

#include <algorithm>

#include "base/at.hpp"
#include "training/layout/chunk_twins.hpp"
#include "training/layout/multi_token.hpp"

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

namespace {

// Entries of the adapters beside a layer's four products: A and B of each, of which a tensor rank holds the
// part that belongs to its part of the product (workload/layer/adapter.cpp).
std::int64_t adapter_parameters(const TrainingConfig& c, const ModelSpec& m) {
  const std::int64_t t = c.degrees.tensor, hidden = m.hidden / t, queries = m.heads / t * m.head_dim;
  const std::int64_t keys = std::max<std::int64_t>(1, m.kv_heads / t) * m.head_dim, ffn = m.ffn_hidden / t;
  std::int64_t entries = 0;
  const auto add = [&](Product product, std::int64_t of_both) {
    if (c.recipe.adapts(product)) entries += of_both;
  };
  add(Product::linear_qkv, hidden + queries + 2 * keys);
  add(Product::linear_proj, queries + hidden);
  add(Product::linear_fc1, hidden + ffn * (m.gated_ffn ? 2 : 1));
  add(Product::linear_fc2, ffn + hidden);
  return c.recipe.lora_rank * entries;
}

template <class OfChunk>
RankParameters sum_over_stage(const RankLayout& layout, std::int32_t stage, OfChunk of_chunk) {
  RankParameters total;
  for_chunks_of(layout, stage, of_chunk, [&](const RankParameters& held, std::int32_t) { total += held; });
  return total;
}

}  // namespace

RankParameters layer_parameters_per_rank(const TrainingConfig& c, const ModelSpec& m, LayerKind kind) {
  const std::int64_t experts = kind.mixes_experts() ? routed_expert_parameters(m) : 0;
  const std::int64_t whole = replicated_layer_parameters(m, kind);
  return {.dense = (layer_parameters(m, kind) - experts - whole) / c.degrees.tensor + whole +
                   adapter_parameters(c, m),
          .expert = experts / (c.degrees.expert * c.degrees.expert_tensor)};
}

std::int64_t final_norm_parameters(const ModelSpec& m) { return one_norm_parameters(m); }

std::int64_t head_bias_parameters(const TrainingConfig& c, const ModelSpec& m, std::int64_t vocabulary) {
  return m.head_bias ? vocabulary / c.degrees.tensor : 0;
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
  if (first) total.dense += table + input_parameters(m);
  if (last) total.dense += final_norm_parameters(m) + head_bias_parameters(c, m, padded_vocabulary(c, m, f));
  if (last && !(first && m.tied_embeddings))
    total.dense += table;  // a tied table is copied onto the last stage
  for (std::int32_t depth = 0; last && depth < c.recipe.mtp_layers; ++depth)
    total += multi_token_parameters(c, m);
  if (last && copies_embedding(c, m)) total.dense += table;
  return total;
}

RankParameters stage_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                const RankLayout& layout, std::int32_t stage) {
  return sum_over_stage(layout, stage,
                        [&](std::int32_t chunk) { return chunk_parameters(c, m, f, layout, chunk); });
}

RankParameters trained_layer_parameters(const TrainingConfig& c, const ModelSpec& m, LayerKind kind) {
  if (c.recipe.lora_rank > 0) return {.dense = adapter_parameters(c, m)};
  return layer_parameters_per_rank(c, m, kind);
}

RankParameters trained_chunk_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                        const RankLayout& layout, std::int32_t chunk) {
  if (c.recipe.lora_rank > 0) return {.dense = layout.chunk_layers[at(chunk)] * adapter_parameters(c, m)};
  return chunk_parameters(c, m, f, layout, chunk);
}

RankParameters trained_stage_parameters(const TrainingConfig& c, const ModelSpec& m, const FrameworkSpec& f,
                                        const RankLayout& layout, std::int32_t stage) {
  return sum_over_stage(layout, stage,
                        [&](std::int32_t chunk) { return trained_chunk_parameters(c, m, f, layout, chunk); });
}

RankParameters product_layer_parameters(const TrainingConfig& c, const ModelSpec& m, LayerKind kind) {
  if (c.recipe.lora_rank > 0) return {};
  RankParameters products = layer_parameters_per_rank(c, m, kind);
  products.dense -= replicated_layer_parameters(m, kind);
  if (kind.has_attention() && m.has_latent_attention())
    products.dense += latent_down_parameters(m) - m.latent.query_rank - m.latent.key_value_rank;
  return products;
}

RankParameters product_chunk_parameters(const TrainingConfig& c, const ModelSpec& m, const RankLayout& layout,
                                        std::int32_t chunk) {
  RankParameters total;
  for (const LayerCount& like : layout.chunk_kinds.row(chunk)) {
    const RankParameters each = product_layer_parameters(c, m, like.kind);
    total += {.dense = like.count * each.dense, .expert = like.count * each.expert};
  }
  return total;
}

}  // namespace echo::training
