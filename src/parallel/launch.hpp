// One launch of a sweep on all workers: look back, run what is missing, assemble the file. The whole of `run`
// but for reading the sweep and printing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "parallel/session.hpp"
#include "parallel/work_dispatch.hpp"
#include "results/result_file.hpp"
#include "simulate/catalog.hpp"
#include "sweep/row.hpp"

namespace echo::parallel {

struct LaunchRequest {
  std::filesystem::path file;      // FILE.h5
  sweep::PointIndex size = 0;      // ids are [0, size)
  results::FileHeader header;      // sweep_key decides whether old rows may be kept
  results::Provenance provenance;  // launches and mpi are filled in here
  bool fresh = false;              // forget an old file and its journals
  DispatchOptions dispatch;
};

struct LaunchOutcome {
  enum class Kind : std::int8_t { already_complete, done, stopped };
  Kind kind = Kind::done;
  std::int64_t resumed_rows = 0;  // found in journals at the start
  results::WriteSummary summary;  // of the file; by_status of all rows so far when stopped
  double seconds = 0.0;           // from the first claim to the last row
};

// Work on claimed ids until there are none: sweep::run_sweep with its space and catalogue bound.
using RunRows = std::function<void(sweep::WorkSource&, sweep::RowSink&)>;

// Collective; every worker gets the same outcome or throws a UserError of the same exit code (file of another
// sweep, disk full: 5; a bug: 1). Kind::stopped means exit code 75: journals stay, and a relaunch goes on
// from them.
LaunchOutcome launch(const Session&, const LaunchRequest&, const simulate::Catalog&, const RunRows&,
                     std::function<void(const Progress&)> on_progress = {});

}  // namespace echo::parallel
