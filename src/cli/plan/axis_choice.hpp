// Parses axis values, and selects the part of a sweep that has given values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/space/raw_space.hpp"
#include "sweep/spec.hpp"

namespace echo::cli {

struct ChosenGroup {
  std::size_t group = 0;  // index in the whole space
  std::vector<std::vector<std::int64_t>>
      digits;  // [dimension] digits of the whole space that remain, ascending
};
struct Choice {
  sweep::SweepSpec spec;            // with groups instead of dimensions; a grid
  std::vector<ChosenGroup> groups;  // [group of spec]
};

// `point`: "tp=8,pp=4". Throws UserError if it does not have that form, or names an axis or a value that the
// sweep does not list.
[[nodiscard]] Choice choose(const sweep::SweepSpec& spec, const sweep::RawSpace& space,
                            const std::string& point);

}  // namespace echo::cli
