// Collectives over several dimensions, one after the other.
#pragma once

#include <span>
#include <vector>

#include "textbook/algorithm.hpp"
#include "textbook/chunk_pipeline.hpp"

namespace echo::textbook {

// The fastest algorithm that admits a call on one dimension of two GPUs or more.
struct Chosen {
  const Algorithm* algorithm = nullptr;
  Cost cost;
};
[[nodiscard]] Chosen fastest(const Call&, const Dimension&, std::vector<Step>& scratch);

// Stages of one chunk of `call` in this order of dimensions: reduce-scatters from first to last, all-gathers
// in reverse (an all-reduce is complete on the last); an all-to-all on each; a broadcast from the last to the
// first.
[[nodiscard]] std::vector<Stage> stages_of(const Call&, std::span<const Dimension>,
                                           std::span<const std::int32_t> order, std::vector<Step>& scratch);

// All chunks under the settings (`algorithm` is ignored). Dimensions of two GPUs or more. `chunks`: their
// number.
struct Hierarchical {
  Cost cost;
  std::int32_t chunks = 0;
};
[[nodiscard]] Hierarchical hierarchical(const Call&, std::span<const Dimension>, const ops::GenericSettings&,
                                        std::vector<Step>& scratch);

}  // namespace echo::textbook
