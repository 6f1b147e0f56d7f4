#include "collective/algorithm.hpp"

#include "base/contract.hpp"

namespace echo::collective {

const Algorithm& algorithm_of(const ops::CollectiveEstimate& estimate) {
  ECHO_EXPECT(!estimate.algorithm.is_none());
  return *algorithm_table()[static_cast<std::size_t>(estimate.algorithm.index())];
}

std::string_view name_of_algorithm(const ops::CollectiveEstimate& estimate) {
  if (estimate.generic != ops::GenericAlgorithm::best)
    return ops::generic_algorithm_names[static_cast<std::size_t>(estimate.generic)];
  return estimate.algorithm.is_none() ? std::string_view{} : algorithm_of(estimate).name;
}

}  // namespace echo::collective
