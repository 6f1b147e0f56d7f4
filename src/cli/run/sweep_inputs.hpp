// The inputs that every worker needs to simulate points, and the keys that decide which rows may share a
// file.
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

// Its destructor is a collective call if there are measured kernels or a learned model: it must not run while
// a single worker fails.
struct WorkerInputs {
  sweep::SweepSpec spec;
  simulate::Catalog catalog;
  simulate::Calibration calibration;  // its measured kernels and its learned slowdown model refer to:
  std::unique_ptr<parallel::SharedTable> measured = {}, learned = {};  // null if absent
};

// `read`: the inputs read by worker 0; `measured`: the image of its profiles; both ignored elsewhere. Spec
// and catalog are broadcast; the calibration is held once per node in a shared window while it is unpacked,
// measured kernels and a learned slowdown model for the lifetime of the inputs. Collective.
[[nodiscard]] WorkerInputs share_inputs(const parallel::Session&, config::SweepInputs&& read,
                                        const std::string& measured);

// A line about what share_space() is about to do, where that may take long; else empty.
[[nodiscard]] std::string numbering_note(const WorkerInputs& inputs);

// The design space, indexed jointly by all workers. Collective; refers to inputs.catalog.
[[nodiscard]] sweep::DesignSpace share_space(const parallel::Session&, const WorkerInputs& inputs);

// The identity of the sweep in the result file. Keys are hex XXH3-128: row_key of the program's own bytes,
// the schema, the presets, the calibration (measured kernels and a learned model included) and the settings
// that a row depends on (limits, target, slowdown, work budget); space_key of axes, rules, search and seed;
// sweep_key of both.
[[nodiscard]] results::FileHeader sweep_header(const WorkerInputs&);

// The bytes of the program, as hex: two builds differ if any object file differs, regardless of the version.
// They are read once.
[[nodiscard]] const std::string& fingerprint_of_program();

}  // namespace echo::cli
