#include "results/columns.hpp"

#include <array>
#include <string_view>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/lane.hpp"
#include "training/memory/memory.hpp"

namespace echo::results {

const char* name_of(Role role) {
  static constexpr std::array<const char*, 5> names{"scale", "input", "outcome", "metric", "breakdown"};
  return names[at(role)];
}

std::int64_t width_of(const Column& column) {
  const std::string_view dimension = column.dimension;
  if (dimension.empty()) return 1;
  ECHO_EXPECT(dimension == "part" || dimension == "mem_part");
  return dimension == "part" ? time_category_count : training::memory_part_count;
}

}  // namespace echo::results
