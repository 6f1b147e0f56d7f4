#include <algorithm>

#include "launch_flags/import.hpp"

namespace echo::launch_flags {

namespace {

using training::ModelSpec;

// Names, rows of position tables that no kernel reads, and the width of heads that latent attention does not
// have are put aside.
ModelSpec comparable(ModelSpec model) {
  model.name.clear();
  model.source.clear();
  if (model.positions != training::Positions::learned) model.max_positions = 0;
  if (model.has_latent_attention()) model.head_dim = 0;
  model.mamba.convolution = ModelSpec().mamba.convolution;
  model.mamba.chunk = ModelSpec().mamba.chunk;
  return model;
}

}  // namespace

// Among presets that differ in their vocabulary alone, those for sequences as long come first.
std::vector<std::string> models_like(const Facts& facts, const simulate::Catalog& catalog) {
  const DescribedModel described = model_of(facts);
  const bool lacks_vocab = described.unknown == std::vector<std::string>{"vocab"};
  std::vector<std::string> names, shorter_or_longer;
  if (!described.unknown.empty() && !lacks_vocab) return names;
  for (const ModelSpec& preset : catalog.models) {
    ModelSpec wanted = comparable(described.spec), candidate = comparable(preset);
    if (lacks_vocab) wanted.vocab = candidate.vocab;
    if (!preset.trace.is_none() || wanted != candidate) continue;
    const bool is_as_long = preset.max_positions == described.spec.max_positions;
    (is_as_long ? names : shorter_or_longer).push_back(preset.name);
  }
  names.insert(names.end(), shorter_or_longer.begin(), shorter_or_longer.end());
  return names;
}

}  // namespace echo::launch_flags
