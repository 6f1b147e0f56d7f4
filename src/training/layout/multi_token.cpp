#include "training/layout/multi_token.hpp"

namespace echo::training {

LayerKind multi_token_layer_kind(const ModelSpec& m) { return layer_kind(m, m.layers - 1); }

std::int64_t multi_token_norm_parameters(const ModelSpec& m) { return 3 * one_norm_parameters(m); }

std::int64_t replicated_multi_token_parameters(const ModelSpec& m) {
  return replicated_layer_parameters(m, multi_token_layer_kind(m)) + multi_token_norm_parameters(m);
}

RankParameters multi_token_parameters(const TrainingConfig& c, const ModelSpec& m) {
  RankParameters total = layer_parameters_per_rank(c, m, multi_token_layer_kind(m));
  total.dense += 2LL * m.hidden * m.hidden / c.degrees.tensor + multi_token_norm_parameters(m);
  return total;
}

bool copies_embedding(const TrainingConfig& c, const ModelSpec& m) {
  return c.recipe.mtp_layers > 0 && !m.tied_embeddings && chunks_of(c) > 1;
}

double multi_token_flops(const ModelSpec& m, std::int64_t samples, std::int64_t tokens) {
  const double hidden = m.hidden, products = hidden * m.vocab + 2.0 * hidden * hidden;
  return 3.0 * static_cast<double>(samples) *
         (layer_flops(m, multi_token_layer_kind(m), tokens) + 2.0 * static_cast<double>(tokens) * products);
}

}  // namespace echo::training
