// Reads the values of one axis in any of their forms: scalar, list, { pow2 = [lo, hi] }, { from, to, step },
// { log = [lo, hi], n = k }, "auto".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/catalog/catalog_files.hpp"
#include "config/toml/toml_reader.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// The values and their positions in the file, for checks that need all axes.
struct ReadAxis {
  sweep::AxisColumn column;
  std::vector<Place> places;  // [value]
  Place place;                // of the axis
  bool automatic = false;     // "auto": values follow once the other axes are known
  bool tokens = false;        // of global_batch: given in tokens
};

// What to say where no axis has this name; and the axis, or UserError, 2, which says it.
[[nodiscard]] Problem unknown_axis(const std::string& name, Place place = {});
[[nodiscard]] sweep::Axis axis_named(const std::string& name);

struct AxisContext {
  const Aliases& aliases;
  simulate::Catalog& catalog;
  Problems& problems;
};

// On crossed axes a repeated value is removed with a warning; zipped axes keep it, paired with another value.
enum class Crossing { crossed, zipped };
[[nodiscard]] ReadAxis read_axis(const sweep::AxisInfo& axis, const toml::node& node, Crossing crossing,
                                 AxisContext& context);

}  // namespace echo::config
