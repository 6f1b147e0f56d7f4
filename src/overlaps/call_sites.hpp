// Which kernels of a profile are the same work: what is launched, by which op, on which operands, and between
// which neighbours on its stream.
#pragma once

#include <cstdint>
#include <vector>

#include "overlaps/profile.hpp"

namespace echo::overlaps {

// Classes of equal work, each as a number per activity; -1 of copies.
struct CallSites {
  std::vector<std::int32_t> work;  // [activity] name, grid, block, op, extents and types of operands
  std::vector<std::int32_t> site;  // [activity] the same between the same two kernels of the stream
  std::vector<std::int32_t> wide;  // [activity] the same between the same four
  std::vector<std::int32_t> kind;  // [activity] of a collective: name, grid, block, type and bytes
};

// Neighbours are kernels by name, grid and block, those that communicate as well; a stream's ends count as
// neighbours.
[[nodiscard]] CallSites call_sites(const Profile&);

}  // namespace echo::overlaps
