#include "machine/placement.hpp"

#include <utility>

#include "base/at.hpp"
#include "base/counter_rng.hpp"

namespace echo::machine {

void place_ranks(Placement placement, std::int32_t gpus, std::int32_t domain, std::uint64_t seed,
                 std::vector<std::int32_t>& out) {
  out.clear();
  const std::int32_t domains = gpus / domain;
  const bool whole = domains * domain == gpus;
  if (placement == Placement::packed || domains < 2) return;
  if (placement == Placement::by_rail && !whole) return;
  out.resize(at(gpus));
  for (std::int32_t rank = 0; rank < gpus; ++rank)
    out[at(rank)] = placement == Placement::by_rail ? rank % domains * domain + rank / domains : rank;
  if (placement == Placement::by_rail) return;
  for (std::int32_t i = domains - 1; i > 0; --i) {  // Fisher and Yates, domain by domain
    const auto other = static_cast<std::int32_t>(draw(seed, static_cast<std::uint64_t>(domains), i) %
                                                 static_cast<std::uint64_t>(i + 1));
    for (std::int32_t gpu = 0; gpu < domain && other != i; ++gpu)
      std::swap(out[at(i * domain + gpu)], out[at(other * domain + gpu)]);
  }
}

}  // namespace echo::machine
