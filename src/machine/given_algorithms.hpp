// What algorithms on a machine given by its dimensions can do, and what a dimension's links carry.
#pragma once

#include <bit>
#include <cstdint>

#include "machine/given_machine.hpp"

namespace echo::machine {

// Halving-doubling does no all-to-all, the double binary tree all-reduces only. Source: ASTRA-sim 518bd51,
// system/astraccl, which stops at the others.
[[nodiscard]] constexpr bool does(DimensionAlgorithm algorithm, ChosenCollective collective) {
  if (algorithm == DimensionAlgorithm::halving_doubling) return collective != ChosenCollective::all_to_all;
  if (algorithm == DimensionAlgorithm::double_binary_tree) return collective == ChosenCollective::all_reduce;
  return true;
}

// Whether it runs on so many ranks >= 1: two algorithms need a power of two.
[[nodiscard]] constexpr bool fits(DimensionAlgorithm algorithm, std::int32_t ranks) {
  const bool needs_power = algorithm == DimensionAlgorithm::halving_doubling ||
                           algorithm == DimensionAlgorithm::double_binary_tree;
  return !needs_power || std::has_single_bit(static_cast<std::uint32_t>(ranks));
}

// All links of one GPU in the dimension together.
[[nodiscard]] inline BytesPerSecond links_of_one_gpu(const GivenDimension& d) {
  switch (d.kind) {
    case DimensionKind::ring:
    case DimensionKind::line:
      return 2.0 * d.link;
    case DimensionKind::fully_connected:
      return (d.size - 1.0) * d.link;
    case DimensionKind::switched:
      break;
  }
  return d.link;
}

}  // namespace echo::machine
