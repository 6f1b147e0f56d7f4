#include "training/layout/weight_tensors.hpp"

namespace echo::training {

namespace {

std::int64_t matrices_of_net(const ModelSpec& m) { return m.gated_ffn ? 3 : 2; }

// Bias vectors of a layer's `products`.
std::int64_t biases(const ModelSpec& m, LayerKind kind, std::int64_t products) {
  if (m.linear_bias) return products;
  return m.qkv_bias && kind.has_attention() ? 1 : 0;
}

}  // namespace

TensorCount dense_tensors(const ModelSpec& m, const RankLayout& layout, std::int32_t chunk) {
  const bool first = layout.opens_model(static_cast<std::size_t>(chunk)),
             last = layout.closes_model(static_cast<std::size_t>(chunk));
  TensorCount all{.matrices = (first ? 1 : 0) + (last && !m.tied_embeddings ? 1 : 0),
                  .vectors = (last && m.norm_weights ? 1 : 0) + (last && m.head_bias ? 1 : 0)};
  for (const LayerCount& like : layout.chunk_kinds.row(chunk)) {
    const LayerKind kind = like.kind;
    std::int64_t products = kind.mixer != Mixer::none ? 2 : 0;
    if (kind.mixes_experts()) products += 1;
    if (kind.net == Net::dense) products += matrices_of_net(m);
    all.matrices += like.count * products;
    const std::int64_t norms = shares_norm(m, kind) ? 1 : 2;
    all.vectors += like.count * ((m.norm_weights ? norms : 0) + biases(m, kind, products));
  }
  return all;
}

TensorCount expert_tensors(const TrainingConfig& c, const ModelSpec& m, const RankLayout& layout,
                           std::int32_t chunk) {
  TensorCount all;
  for (const LayerCount& like : layout.chunk_kinds.row(chunk))
    if (like.kind.mixes_experts())
      all.matrices += like.count * (m.experts / c.degrees.expert) * matrices_of_net(m);
  return all;
}

}  // namespace echo::training
