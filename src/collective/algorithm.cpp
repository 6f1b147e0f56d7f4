#include "collective/algorithm.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::collective {

const Algorithm& algorithm_of(const ops::CollectiveEstimate& estimate) {
  const auto table = algorithm_table();
  const auto found = std::ranges::find(table, estimate.algorithm, &Algorithm::id);
  ECHO_EXPECT(found != table.end());
  return **found;
}

std::string_view name_of_algorithm(const ops::CollectiveEstimate& estimate) {
  if (estimate.generic != ops::GenericAlgorithm::best) return ops::name_of(estimate.generic);
  const bool none = estimate.algorithm == ops::NcclAlgorithm::automatic;
  return none ? std::string_view{} : ops::name_of(estimate.algorithm);
}

}  // namespace echo::collective
