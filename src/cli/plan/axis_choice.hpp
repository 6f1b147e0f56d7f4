// Axis values as people write them, and the part of a sweep that has certain ones.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/space/raw_space.hpp"
#include "sweep/spec.hpp"

namespace echo::cli {

// "8", "true", "llama3-70b", "even", "40-40".
[[nodiscard]] std::string axis_value_text(sweep::Axis axis, const sweep::ResolvedValue& value,
                                          const sweep::Program& program, const simulate::Catalog& catalog);

// The axes that do not have one and the same value in all of a sweep.
class VaryingAxes {
 public:
  explicit VaryingAxes(const sweep::SweepSpec& spec);
  [[nodiscard]] bool contains(sweep::Axis axis) const { return found_.test(at(axis)); }

 private:
  std::bitset<sweep::axis_count> found_;
};

struct ChosenGroup {
  std::size_t group = 0;                          // of the whole space
  std::vector<std::vector<std::int64_t>> digits;  // [dimension] those of the whole that stay, ascending
};
struct Choice {
  sweep::SweepSpec spec;            // groups in place of dimensions; a grid
  std::vector<ChosenGroup> groups;  // [group of spec]
};

// `point`: "tp=8,pp=4". Throws UserError where it is not of that form, or names an axis that the sweep does
// not list or a value that is not among its values.
[[nodiscard]] Choice choose(const sweep::SweepSpec& spec, const sweep::RawSpace& space,
                            const std::string& point);

}  // namespace echo::cli
