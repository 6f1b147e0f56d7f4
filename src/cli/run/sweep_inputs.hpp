// What every worker needs to simulate points, and the keys under which their rows may be mixed.
#pragma once

#include <memory>
#include <string>

#include "config/sweep_file/sweep_file.hpp"
#include "parallel/session.hpp"
#include "parallel/shared_table.hpp"
#include "results/write/result_file.hpp"
#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "sweep/space/design_space.hpp"
#include "sweep/spec.hpp"

namespace echo::cli {

// Leaves by a collective call where there are measured kernels or a learned model: it must not go while a
// worker alone is failing.
struct WorkerInputs {
  sweep::SweepSpec spec;
  simulate::Catalog catalog;
  simulate::Calibration calibration;  // its measured kernels and its learned slowdown model look at:
  std::unique_ptr<parallel::SharedTable> measured = {}, learned = {};  // null where there is none
};

// `read` is what worker 0 read, and `measured` the image of its profiles; ignored elsewhere. Spec and catalog
// are broadcast; the calibration lies once per node in a shared window while it is unpacked, and measured
// kernels and a learned slowdown model lie there as long as the inputs live. Collective.
[[nodiscard]] WorkerInputs share_inputs(const parallel::Session&, config::SweepInputs&& read,
                                        const std::string& measured);

// The space, indexed by all workers together. Collective; refers to inputs.catalog.
[[nodiscard]] sweep::DesignSpace share_space(const parallel::Session&, const WorkerInputs& inputs);

// What the result file is to say of the sweep. Keys are hex XXH3-128: row_key of the program's own bytes, the
// schema, the presets, the calibration (measured kernels and a learned model included) and the settings a row
// depends on (limits, target, slowdown, work budget); space_key of axes, rules, search and seed; sweep_key of
// both.
[[nodiscard]] results::FileHeader sweep_header(const WorkerInputs&);

}  // namespace echo::cli
