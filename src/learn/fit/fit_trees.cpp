#include "learn/fit/fit_trees.hpp"

#include "base/contract.hpp"
#include "learn/fit/booster.hpp"

namespace echo::learn {

ReadForest fit_trees(const Samples& samples, const TreeSettings& settings,
                     const std::vector<std::int32_t>& monotone, std::uint64_t seed) {
  ReadForest read = forest_of_json(Booster(of_the_base(samples), settings, monotone, seed).json());
  ECHO_ENSURE(read.gain.size() == samples.features.size());
  return read;
}

}  // namespace echo::learn
