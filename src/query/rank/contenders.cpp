#include "query/rank/contenders.hpp"

#include <cmath>

namespace echo::query {

std::map<std::int64_t, std::size_t> groups_by_first_row(std::span<const RankedGroup> groups) {
  std::map<std::int64_t, std::size_t> by_row;
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (!groups[g].rows.empty() && !std::isnan(groups[g].values.front())) by_row[groups[g].rows.front()] = g;
  return by_row;
}

}  // namespace echo::query
