#include "training/layout/stage_balance.hpp"

#include "base/at.hpp"

namespace echo::training {

std::vector<std::int32_t> balanced_stages(const ModelSpec& m, std::int32_t stages) {
  const std::int64_t hidden = m.hidden, attention = 4 * std::int64_t{m.heads} * m.head_dim * hidden,
                     net = (m.gated_ffn ? 3 : 2) * std::int64_t{m.ffn_hidden} * hidden;
  const std::int64_t layer = attention + net, whole = m.layers * layer + std::int64_t{m.vocab} * hidden;
  std::vector<std::int32_t> out(static_cast<std::size_t>(stages), 0);
  std::int64_t stage = 0, so_far = 0;
  for (std::int32_t i = 0; i < m.layers; ++i) {
    ++out[at(stage)];
    so_far += layer;
    if (so_far * stages > whole * (stage + 1) && stage + 1 < stages) ++stage;
  }
  return out;
}

}  // namespace echo::training
