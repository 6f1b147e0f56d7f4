// The axes of a sweep: those it names, and those it gives more than one value.
#pragma once

#include <vector>

#include "base/at.hpp"
#include "sweep/space/config_id.hpp"
#include "sweep/spec.hpp"

namespace echo::sweep {

// The axes that [space] or one of its groups gives values; not those that [derive] does.
[[nodiscard]] AxisSet named_axes(const SweepSpec&);

[[nodiscard]] bool is_derived(const SweepSpec&, Axis);  // by [derive]

// Every value that the sweep gives the axis, in any group, each once, in file order.
[[nodiscard]] std::vector<AxisValue> values_of(const SweepSpec&, Axis);

// The axes that have more than one value, or are named by some of the groups only.
class VaryingAxes {
 public:
  explicit VaryingAxes(const SweepSpec& spec);
  [[nodiscard]] bool contains(Axis axis) const { return found_.test(at(axis)); }

 private:
  AxisSet found_;
};

}  // namespace echo::sweep
