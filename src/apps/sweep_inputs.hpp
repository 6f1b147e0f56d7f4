// What every worker needs to simulate points, and the key under which their rows may be mixed.
#pragma once

#include <string>

#include "config/sweep_file.hpp"
#include "parallel/session.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "sweep/spec.hpp"

namespace echo::apps {

struct WorkerInputs {
  sweep::SweepSpec spec;
  simulate::Catalog catalog;
  simulate::Calibration calibration;
};

// `read` is what worker 0 read, ignored elsewhere. Spec and catalog are broadcast; the calibration, slowdown
// model included, lies once per node in a shared window while it is unpacked. Collective.
[[nodiscard]] WorkerInputs share_inputs(const parallel::Session&, config::SweepInputs&& read);

// Hex XXH3-128 of everything rows depend on: program version, schema, spec, catalog, calibration, and how
// many points are asked for.
[[nodiscard]] std::string sweep_key(const WorkerInputs&, std::int64_t points);

}  // namespace echo::apps
