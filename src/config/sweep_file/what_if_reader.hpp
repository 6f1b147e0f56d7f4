// [what_if]: hardware as it might be, for every GPU and cluster (gpu.FIELD, cluster.FIELD) or for one
// (gpus.NAME.FIELD, clusters.NAME.FIELD, which go before those for all).
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "config/toml/toml_reader.hpp"
#include "simulate/what_if.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

// One number of one preset that a what-if sets.
struct HardwareChange {
  const simulate::HardwareField* field = nullptr;
  std::size_t preset = 0;  // index in the catalog
  std::string name;        // of the preset
  bool is_named = false;   // said of this preset, not of all
  bool is_factor = false;  // "x1.5"
  double was = 0.0, is = 0.0;
  Place place;
};

struct WhatIfs {
  std::vector<HardwareChange> changes;
  std::vector<std::string> said;  // "cluster.nic_rate=800 Gb/s", in file order
};

// Reads [what_if] of `root` and changes catalog and calibration by it. A value is a number with its unit
// ("800 Gb/s") or a factor on the preset's ("x1.5").
[[nodiscard]] WhatIfs apply_what_ifs(const toml::table& root, simulate::Catalog&, simulate::Calibration&,
                                     Problems&);

// What only the space shows: a named preset that no point has, a factor on a number that is not known, a
// fabric that its own file describes. And what no what-if can be combined with: a traced step or measured
// kernels of a GPU that is another one now.
void check_what_ifs(const std::vector<HardwareChange>&, const sweep::SweepSpec&, const simulate::Catalog&,
                    Problems&);

// The changes of presets that a sweep's space names, as [what_if_values] of a resolved sweep, in SI units.
[[nodiscard]] toml::table what_if_values(const std::vector<HardwareChange>&, const sweep::SweepSpec&,
                                         const simulate::Catalog&);

// Changes a catalog as [what_if] of a resolved sweep says, for rows of its file that are simulated again.
void apply_what_ifs_again(const std::string& resolved_toml, simulate::Catalog&, simulate::Calibration&);

}  // namespace echo::config
